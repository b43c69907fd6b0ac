// What a server of the same library can do at most: Boost.Beast with a fixed answer, one io_context per thread.
//
//   consentry_bench_bare_beast PORT THREADS BODY_BYTES
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

asio::awaitable<void> serve(tcp::socket socket, const std::string& body) {
    socket.set_option(tcp::no_delay(true));
    boost::beast::flat_buffer buffer;
    try {
        for (;;) {
            http::request<http::string_body> request;
            co_await http::async_read(socket, buffer, request, asio::use_awaitable);
            http::response<http::string_body> response(http::status::ok, 11);
            response.set(http::field::content_type, "application/json; charset=utf-8");
            response.body() = body;
            response.prepare_payload();
            co_await http::async_write(socket, response, asio::use_awaitable);
        }
    } catch (const boost::system::system_error&) {
        // The client has gone.
    }
}

asio::awaitable<void> listen(tcp::acceptor acceptor, const std::string& body) {
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), body), asio::detached);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "consentry_bench_bare_beast PORT THREADS BODY_BYTES\n");
        return 2;
    }
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(std::atoi(argv[1])));
    const std::string body(static_cast<std::size_t>(std::atoi(argv[3])), 'x');
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<std::jthread> threads;
    for (int i = 0; i < std::atoi(argv[2]); ++i)
        threads.emplace_back([&] {
            asio::io_context context(1);
            tcp::acceptor acceptor(context, endpoint.protocol());
            acceptor.set_option(tcp::acceptor::reuse_address(true));
            acceptor.set_option(ReusePort(true));
            acceptor.bind(endpoint);
            acceptor.listen();
            asio::co_spawn(context, listen(std::move(acceptor), body), asio::detached);
            context.run();
        });
}
