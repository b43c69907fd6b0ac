// TLS in front of a server that speaks none: forwards what it decrypts to a port of 127.0.0.1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

class TlsFront {
public:
    explicit TlsFront(std::uint16_t target) : target_(target) {
        output_of({"sh", "-c",
                   "cd " + folder_.path().string() +
                       " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out "
                       "ca.pem -days 30 -subj /CN=front -addext subjectAltName=IP:127.0.0.1"});
        tls_.use_certificate_chain_file(certificate().string());
        tls_.use_private_key_file((folder_ / "key.pem").string(), asio::ssl::context::pem);
        asio::co_spawn(context_, accept(), asio::detached);
        thread_ = std::jthread([this] { context_.run(); });
    }
    ~TlsFront() { context_.stop(); }
    TlsFront(const TlsFront&) = delete;
    TlsFront& operator=(const TlsFront&) = delete;

    std::string url() const { return "https://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
    // Its own certificate, which nothing on this machine trusts.
    std::filesystem::path certificate() const { return folder_ / "ca.pem"; }

private:
    using tcp = asio::ip::tcp;
    using Encrypted = asio::ssl::stream<tcp::socket>;
    struct Link {
        Encrypted client;
        tcp::socket server;
    };

    asio::awaitable<void> accept() {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
            auto link = std::make_shared<Link>(Encrypted(std::move(socket), tls_), tcp::socket(context_));
            asio::co_spawn(context_, serve(link), asio::detached);
        }
    }
    asio::awaitable<void> serve(std::shared_ptr<Link> link) {
        const auto [failed] =
            co_await link->client.async_handshake(asio::ssl::stream_base::server, asio::as_tuple(asio::use_awaitable));
        if (failed) co_return;
        co_await link->server.async_connect({asio::ip::address_v4::loopback(), target_}, asio::use_awaitable);
        asio::co_spawn(context_, pump(link, link->server, link->client), asio::detached);
        co_await pump(link, link->client, link->server);
    }
    template <class From, class To>
    static asio::awaitable<void> pump(std::shared_ptr<Link> link, From& from, To& to) {
        std::string bytes(16'384, '\0');
        for (;;) {
            const auto [ended, count] =
                co_await from.async_read_some(asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
            if (ended) break;
            co_await asio::async_write(to, asio::buffer(bytes.data(), count), asio::as_tuple(asio::use_awaitable));
        }
        boost::system::error_code ignored;
        link->server.close(ignored);
        link->client.lowest_layer().close(ignored);
    }

    const std::uint16_t target_;
    const TempFolder folder_;
    asio::io_context context_{1};
    asio::ssl::context tls_{asio::ssl::context::tls_server};
    tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
    std::jthread thread_;
};

}  // namespace consentry::tests
