#include "net/http_client.hpp"

#include <fstream>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/error.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::net {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using tests::RunningServer;

std::string at(std::uint16_t port, const std::string& path) {
    return "http://127.0.0.1:" + std::to_string(port) + path;
}
// Returns why the request failed, or an empty string if there was a response.
std::string failure_of(HttpClient& client, const HttpRequest& request, const std::stop_token& stop = {}) {
    try {
        client.fetch(request, stop);
        return {};
    } catch (const Unavailable& outage) {
        return outage.what();
    }
}

TEST(HttpClient, SendsWhatItIsGivenAndReturnsWhatItGets) {
    const RunningServer running;
    HttpClient client({.plain_http = true});
    const HttpResponse got = client.fetch({.url = at(running.server.port(), "/a?b=c"), .headers = {{"x-canary", "1"}}});
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.header("x-canary"), "1");
    EXPECT_EQ(got.body, "GET /a?b=c ");
    const HttpResponse posted =
        client.fetch({.method = "POST", .url = at(running.server.port(), "/a/../b"), .body = "hello"});
    EXPECT_EQ(posted.body, "POST /a/../b hello");
    EXPECT_EQ(client.fetch({.method = "PUT", .url = at(running.server.port(), "/p")}).body, "PUT /p ");
    EXPECT_EQ(client.fetch({.method = "DELETE", .url = at(running.server.port(), "/d")}).body, "DELETE /d ");
    EXPECT_EQ(client.fetch({.method = "HEAD", .url = at(running.server.port(), "/h")}).body, "");
    EXPECT_EQ(client.fetch({.url = at(running.server.port(), "/304")}).status, 304U);
}

TEST(HttpClient, BoundsSizeAndTimeAndCanBeStopped) {
    http::ServerOptions options = tests::on_loopback();
    options.request_timeout = std::chrono::seconds{2};  // ends handlers that hang after the client gave up
    const RunningServer running(options);
    HttpClient client({.plain_http = true});
    HttpRequest large{.url = at(running.server.port(), "/large?100000"), .answer_bytes_max = 50'000};
    EXPECT_THAT(failure_of(client, large), HasSubstr("larger than 50000 bytes"));
    large.answer_bytes_max = 200'000;
    EXPECT_EQ(client.fetch(large).body.size(), 100'000U);

    const HttpRequest slow{.url = at(running.server.port(), "/hang"), .timeout = milliseconds{100}};
    EXPECT_THAT(failure_of(client, slow), HasSubstr("timed out"));

    std::stop_source stop;
    stop.request_stop();
    EXPECT_NE(failure_of(client, {.url = at(running.server.port(), "/hang")}, stop.get_token()), "");
}

TEST(HttpClient, ANewConnectionTakesThePlaceOfALostOne) {
    HttpClient client({.plain_http = true});
    std::string lost;
    {
        const RunningServer running;
        lost = at(running.server.port(), "/");
        EXPECT_EQ(client.fetch({.url = lost}).status, 200U);
    }
    EXPECT_NE(failure_of(client, {.url = lost}), "");
    const RunningServer other;
    EXPECT_EQ(client.fetch({.url = at(other.server.port(), "/")}).status, 200U);
}

TEST(HttpClient, OnlyHttpsUnlessToldOtherwise) {
    const RunningServer running;
    HttpClient client({});
    EXPECT_THAT(failure_of(client, {.url = at(running.server.port(), "/")}), HasSubstr("not supported"));
    EXPECT_NE(failure_of(client, {.url = "file:///etc/hostname"}), "");
    EXPECT_TRUE(running.application.seen().empty());
}

// A private key and its self-signed certificate.
struct Certificate {
    std::string key;
    std::string certificate;
};
Certificate certificate_for(const std::string& host) {
    const auto text_of = [](auto write) {
        const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
        write(memory.get());
        char* data = nullptr;
        const long size = BIO_get_mem_data(memory.get(), &data);
        return std::string(data, static_cast<std::size_t>(size));
    };
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> x509(X509_new(), &X509_free);
    X509_set_version(x509.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509.get()), 3600);
    X509_set_pubkey(x509.get(), key.get());
    X509_NAME* name = X509_get_subject_name(x509.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(host.c_str()), -1, -1,
                               0);
    X509_set_issuer_name(x509.get(), name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> names(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("IP:" + host).c_str()), &X509_EXTENSION_free);
    X509_add_ext(x509.get(), names.get(), -1);
    X509_sign(x509.get(), key.get(), EVP_sha256());
    return {text_of([&](BIO* to) { PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr); }),
            text_of([&](BIO* to) { PEM_write_bio_X509(to, x509.get()); })};
}

// Answers every request on every connection with 204. The destructor stops it.
class TlsServer {
public:
    explicit TlsServer(const Certificate& certificate) {
        tls_.use_certificate(asio::buffer(certificate.certificate), asio::ssl::context::pem);
        tls_.use_private_key(asio::buffer(certificate.key), asio::ssl::context::pem);
        thread_ = std::thread([this] { serve(); });
    }
    ~TlsServer() {
        stopping_ = true;
        boost::system::error_code ignored;
        asio::ip::tcp::socket waker(context_);
        waker.connect({asio::ip::address_v4::loopback(), port()}, ignored);
        waker.close(ignored);
        thread_.join();
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    void serve() {
        while (!stopping_) {
            asio::ssl::stream<asio::ip::tcp::socket> stream(acceptor_.accept(), tls_);
            boost::system::error_code error;
            stream.handshake(asio::ssl::stream_base::server, error);
            std::string head;
            if (!error) asio::read_until(stream, asio::dynamic_buffer(head), "\r\n\r\n", error);
            constexpr std::string_view answer = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
            if (!error) asio::write(stream, asio::buffer(answer), error);
            if (!error) stream.shutdown(error);
        }
    }
    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
    asio::ssl::context tls_{asio::ssl::context::tls_server};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

TEST(HttpClient, TrustsTheNamedCertificatesAndTheNameInThem) {
    const tests::TempFolder folder;
    const Certificate right = certificate_for("127.0.0.1");
    const std::string trusted = (folder / "trusted.pem").string();
    std::ofstream(trusted) << right.certificate;
    {
        const TlsServer server(right);
        const HttpRequest request{.url = "https://127.0.0.1:" + std::to_string(server.port()) + "/"};
        HttpClient knowing({.ca_file = trusted});
        EXPECT_EQ(knowing.fetch(request).status, 204U);
        HttpClient unknowing({});
        EXPECT_THAT(failure_of(unknowing, request), HasSubstr("certificate"));
    }
    {
        const Certificate other = certificate_for("127.0.0.2");
        std::ofstream(trusted) << other.certificate;
        const TlsServer server(other);
        HttpClient knowing({.ca_file = trusted});
        EXPECT_THAT(failure_of(knowing, {.url = "https://127.0.0.1:" + std::to_string(server.port()) + "/"}),
                    HasSubstr("127.0.0.1"));
    }
}

}  // namespace
}  // namespace consentry::net
