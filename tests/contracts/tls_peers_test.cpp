// CRY-7: the service sends nothing to a peer that has not proven its name over TLS, and never falls back to clear text.
#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "net/http_client.hpp"
#include "net/smtp_client.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/s3/s3_store.hpp"
#include "tests/contracts/redis_loop.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using asio::use_awaitable;
using asio::ip::tcp;

template <class T, void (*free)(T*)>
struct Free {
    void operator()(T* it) const { free(it); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509, X509_free>>;

struct Identity {
    Key key;
    Certificate certificate;
};

void add_extension(X509* to, int kind, const char* value) {
    const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION, X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value));
    X509_add_ext(to, extension.get(), -1);
}

// Creates a certificate that is valid from and until these seconds from now. Without `issuer` it is self-signed.
Identity identity_of(const char* name, long from, long until, const Identity* issuer, const char* alternative_name) {
    static long serial = 0;
    Identity out{Key(EVP_EC_gen("P-256")), Certificate(X509_new())};
    X509* x509 = out.certificate.get();
    X509_set_version(x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(x509), from);
    X509_gmtime_adj(X509_getm_notAfter(x509), until);
    X509_set_pubkey(x509, out.key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(x509, X509_get_subject_name(issuer == nullptr ? x509 : issuer->certificate.get()));
    if (alternative_name != nullptr) {
        add_extension(x509, NID_subject_alt_name, alternative_name);
    } else {
        add_extension(x509, NID_basic_constraints, "critical,CA:TRUE");
        add_extension(x509, NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    X509_sign(x509, issuer == nullptr ? out.key.get() : issuer->key.get(), EVP_sha256());
    return out;
}

// How the protocol starts, besides the TLS handshake.
enum class Prelude { none, postgres, smtp_greeting_after, starttls };

// A server on 127.0.0.1. Its destructor ends all connections.
class Peer {
public:
    struct Options {
        const Identity* identity = nullptr;  // null: no support for TLS
        int newest_version = TLS1_3_VERSION;
        Prelude prelude = Prelude::none;
    };
    explicit Peer(Options options) : options_(options) {
        if (options_.identity != nullptr) {
            SSL_CTX* tls = tls_.native_handle();
            SSL_CTX_use_certificate(tls, options_.identity->certificate.get());
            SSL_CTX_use_PrivateKey(tls, options_.identity->key.get());
            SSL_CTX_set_cipher_list(tls, "DEFAULT:@SECLEVEL=0");
            SSL_CTX_set_min_proto_version(tls, TLS1_VERSION);
            SSL_CTX_set_max_proto_version(tls, options_.newest_version);
        }
        asio::co_spawn(context_, accept(), asio::detached);
        thread_ = std::jthread([this] { context_.run(); });
    }
    ~Peer() { context_.stop(); }

    std::string port() const { return std::to_string(acceptor_.local_endpoint().port()); }
    // The bytes received under TLS, and how often clear text arrived where TLS should have begun.
    std::size_t told_secretly() const { return secret_; }
    std::size_t told_openly() const { return open_; }
    std::size_t connections() const { return connections_; }

private:
    awaitable<void> accept() {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(use_awaitable);
            ++connections_;
            asio::co_spawn(context_, serve(std::move(socket)), [](const std::exception_ptr&) {});
        }
    }
    awaitable<void> serve(tcp::socket socket) {
        co_await begin(socket);
        std::array<unsigned char, 1> first{};
        co_await socket.async_receive(asio::buffer(first), tcp::socket::message_peek, use_awaitable);
        constexpr unsigned char tls_handshake = 22;
        if (first[0] != tls_handshake) ++open_;
        if (options_.identity == nullptr) co_return;
        asio::ssl::stream<tcp::socket> stream(std::move(socket), tls_);
        co_await stream.async_handshake(asio::ssl::stream_base::server, use_awaitable);
        if (options_.prelude == Prelude::smtp_greeting_after)
            co_await asio::async_write(stream, asio::buffer("220 peer\r\n", 10), use_awaitable);
        std::array<char, 4'096> said{};
        secret_ += co_await stream.async_read_some(asio::buffer(said), use_awaitable);
    }
    awaitable<void> begin(tcp::socket& socket) {
        const bool knows_tls = options_.identity != nullptr;
        if (options_.prelude == Prelude::postgres) {
            std::array<unsigned char, 8> asked{};
            co_await asio::async_read(socket, asio::buffer(asked), use_awaitable);
            constexpr std::array<unsigned char, 8> for_tls{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f};
            if (asked != for_tls) ++open_;
            co_await asio::async_write(socket, asio::buffer(knows_tls ? "S" : "N", 1), use_awaitable);
        }
        if (options_.prelude != Prelude::starttls) co_return;
        co_await asio::async_write(socket, asio::buffer("220 peer\r\n", 10), use_awaitable);
        for (std::string line; !line.starts_with("STARTTLS");) {
            line.clear();
            co_await asio::async_read_until(socket, asio::dynamic_buffer(line), "\r\n", use_awaitable);
            if (!line.starts_with("EHLO") && !line.starts_with("STARTTLS") && !line.starts_with("QUIT")) ++open_;
            std::string answer = "250 peer\r\n";
            if (line.starts_with("EHLO") && knows_tls) answer = "250-peer\r\n250 STARTTLS\r\n";
            if (line.starts_with("STARTTLS")) answer = "220 peer\r\n";
            co_await asio::async_write(socket, asio::buffer(answer), use_awaitable);
        }
    }

    const Options options_;
    std::atomic<std::size_t> secret_{0};
    std::atomic<std::size_t> open_{0};
    std::atomic<std::size_t> connections_{0};
    asio::ssl::context tls_{asio::ssl::context::tls_server};
    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
    std::jthread thread_;
};

// All clients of the service. Their calls end in an outage; the tests check only what they sent.
struct Caller {
    std::string name;
    Prelude prelude;
    std::function<void(const std::string& port, const std::string& ca_file)> call;
};

void send_mail(const std::string& url, const std::string& ca_file) {
    net::SmtpClient::Options options{.server = net::parse_smtp_url(url).value()};
    options.server.ca_file = ca_file;
    options.timeout = 5s;
    const auto answer = net::SmtpClient(options).send("a@example.org", "b@example.org", "Subject: x\r\n\r\nx\r\n");
    EXPECT_NE(answer.verdict, net::SmtpAnswer::Verdict::accepted);
}

std::vector<Caller> callers() {
    return {
        {"database", Prelude::postgres,
         [](const std::string& port, const std::string& ca_file) {
             storage::PostgresDatabase database({.url = "postgresql://app:secret@127.0.0.1:" + port +
                                                        "/app?sslmode=verify-full&sslrootcert=" + ca_file,
                                                 .timeout = 5s});
             run(database.ping());
         }},
        {"cache", Prelude::none,
         [](const std::string& port, const std::string& ca_file) {
             auto options = redis_options("rediss://app:secret@127.0.0.1:" + port);
             options.ca_file = ca_file;
             storage::RedisCache(options).check();
         }},
        {"objects", Prelude::none,
         [](const std::string& port, const std::string& ca_file) {
             storage::S3Options options;
             options.server = {.host = "127.0.0.1:" + port, .buckets_by_host = false, .tls = true, .ca_file = ca_file};
             options.region = "eu-central-1";
             options.access_key = "key";
             options.secret = "secret";
             options.private_bucket = "drafts";
             options.public_bucket = "published";
             options.timeout = 2s;
             storage::S3Store(options).check();
         }},
        {"providers", Prelude::none,
         [](const std::string& port, const std::string& ca_file) {
             net::HttpClient({.ca_file = ca_file}).fetch({.url = "https://127.0.0.1:" + port + "/", .timeout = 5s});
         }},
        {"mail", Prelude::smtp_greeting_after,
         [](const std::string& port, const std::string& ca_file) {
             send_mail("smtps://app:secret@127.0.0.1:" + port, ca_file);
         }},
        {"mail by STARTTLS", Prelude::starttls,
         [](const std::string& port, const std::string& ca_file) {
             send_mail("smtp://app:secret@127.0.0.1:" + port, ca_file);
         }},
    };
}

class TlsPeers : public ::testing::Test {
protected:
    static constexpr long day = 86'400;
    TlsPeers() {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(ca_file_.c_str(), "w"), &std::fclose);
        PEM_write_X509(file.get(), authority_.certificate.get());
    }
    Identity signed_for(const char* alternative_name, long from = -day, long until = day) const {
        return identity_of("peer", from, until, &authority_, alternative_name);
    }
    // Calls a separate peer with each client, and expects that no client sends anything.
    void expect_silence(const char* what, Peer::Options options) const {
        for (const Caller& caller : callers()) {
            SCOPED_TRACE(std::string(what) + " to the " + caller.name);
            options.prelude = caller.prelude;
            const Peer peer(options);
            try {
                caller.call(peer.port(), ca_file_);
            } catch (const std::exception&) {
            }
            EXPECT_GE(peer.connections(), 1U);
            EXPECT_EQ(peer.told_secretly(), 0U);
            EXPECT_EQ(peer.told_openly(), 0U);
        }
    }

    const TempFolder folder_;
    const std::string ca_file_ = (folder_ / "ca.pem").string();
    const Identity authority_ = identity_of("authority", -day, day, nullptr, nullptr);
};

using CRY_7 = TlsPeers;

TEST_F(CRY_7, WhoProvesItsNameIsSpokenTo) {
    const Identity right = signed_for("IP:127.0.0.1");
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
        for (const Caller& caller : callers()) {
            SCOPED_TRACE(caller.name);
            const Peer peer({.identity = &right, .newest_version = version, .prelude = caller.prelude});
            try {
                caller.call(peer.port(), ca_file_);
            } catch (const std::exception&) {  // the peer speaks none of the protocols
            }
            EXPECT_GT(peer.told_secretly(), 0U);
            EXPECT_EQ(peer.told_openly(), 0U);
        }
}

TEST_F(CRY_7, ACertificateOfAnotherNameIsRefused) {
    const Identity other = signed_for("IP:127.0.0.2,DNS:other.example");
    expect_silence("another name", {.identity = &other});
}

TEST_F(CRY_7, ACertificateOutsideItsTimeIsRefused) {
    const Identity expired = signed_for("IP:127.0.0.1", -2 * day, -day);
    expect_silence("expired", {.identity = &expired});
    const Identity early = signed_for("IP:127.0.0.1", day, 2 * day);
    expect_silence("not valid yet", {.identity = &early});
}

TEST_F(CRY_7, ACertificateThatVouchesForItselfIsRefused) {
    const Identity alone = identity_of("peer", -day, day, nullptr, "IP:127.0.0.1");
    expect_silence("self-signed", {.identity = &alone});
    const Identity stranger = identity_of("authority", -day, day, nullptr, nullptr);
    const Identity forged = identity_of("peer", -day, day, &stranger, "IP:127.0.0.1");
    expect_silence("signed by somebody of the same name", {.identity = &forged});
}

TEST_F(CRY_7, AnOldVersionOfTlsIsRefused) {
    const Identity right = signed_for("IP:127.0.0.1");
    for (const int version : {TLS1_VERSION, TLS1_1_VERSION})
        expect_silence("an old version", {.identity = &right, .newest_version = version});
}

TEST_F(CRY_7, WithoutTlsNothingIsSaidInClearText) { expect_silence("no TLS", {}); }

}  // namespace
}  // namespace consentry::tests
