// Support for tests of the listening side alone: a blocking client that sends exactly the given bytes, and an
// application that reports the requests it received.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/text.hpp"
#include "http/application.hpp"
#include "http/server.hpp"
#include "tests/support/loopback.hpp"

namespace consentry::tests {

struct RawAnswer {
    unsigned status = 0;  // 0: the connection ended without an answer
    std::string head;     // status line and headers, including the empty line
    std::string body;

    std::string header(std::string_view name) const {
        std::string_view rest = head;
        while (!rest.empty()) {
            const std::size_t end = rest.find("\r\n");
            const std::string_view line = rest.substr(0, end);
            const std::size_t colon = line.find(':');
            if (colon != std::string_view::npos && equal_ignoring_case(line.substr(0, colon), name))
                return std::string{trim(line.substr(colon + 1))};
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
        }
        return {};
    }
};

class RawClient {
public:
    // Connects from another loopback address, such as 127.0.0.2, to appear as a client of another network.
    RawClient(std::uint16_t port, const char* from) : RawClient(port, 0, from) {}
    explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0, const char* from = "127.0.0.1")
        : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        if (receive_buffer_bytes > 0)
            setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
        const int on = 1;
        setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const timeval limit{.tv_sec = 20, .tv_usec = 0};  // turns a hanging test into a failing one
        setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        // The port is chosen when the socket connects: only then may it be one that another connection lingers on.
        setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = inet_addr(from);
        if (bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("cannot take that address");
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("cannot connect to the server under test");
    }
    ~RawClient() { close(); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    // Returns false if the peer has closed the connection, which is no failure for a server that refuses early.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    void finish_sending() { shutdown(socket_, SHUT_WR); }
    void close() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }

    RawAnswer read_answer(bool to_head = false) {
        RawAnswer answer;
        while (received_.find("\r\n\r\n") == std::string::npos)
            if (!receive()) return answer;
        const std::size_t head_end = received_.find("\r\n\r\n") + 4;
        answer.head = received_.substr(0, head_end);
        received_.erase(0, head_end);
        answer.status = static_cast<unsigned>(std::atoi(answer.head.c_str() + 9));
        const std::size_t length = to_head ? 0 : std::strtoul(answer.header("content-length").c_str(), nullptr, 10);
        while (received_.size() < length)
            if (!receive()) break;
        answer.body = received_.substr(0, length);
        received_.erase(0, length);
        return answer;
    }
    // Reads everything up to the end of the connection.
    std::string read_all() {
        while (receive()) {
        }
        return std::exchange(received_, {});
    }
    bool is_closed() { return received_.empty() && !receive(); }
    // Whether the connection was reset instead of closed in an orderly way.
    bool was_reset() const { return reset_; }

private:
    bool receive() {
        char bytes[16 * 1024];
        const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("the server keeps silent");
        reset_ = count < 0 && errno == ECONNRESET;
        if (count <= 0) return false;
        received_.append(bytes, static_cast<std::size_t>(count));
        return true;
    }
    int socket_;
    bool reset_ = false;
    std::string received_;
};

// Answers by path, and records the target of every request.
class TellingApplication : public http::Application {
public:
    boost::asio::awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (!co_await receive_body(request, response)) co_return;
        remember(request.target);
        if (request.path == "/throw") throw std::runtime_error("a handler that fails");
        if (request.path == "/hang") {
            boost::asio::steady_timer forever(co_await boost::asio::this_coro::executor, std::chrono::hours{1});
            co_await forever.async_wait(boost::asio::use_awaitable);
        }
        if (request.path == "/turn") {  // suspends once
            boost::asio::steady_timer now(co_await boost::asio::this_coro::executor, std::chrono::seconds{0});
            co_await now.async_wait(boost::asio::use_awaitable);
        }
        if (request.path == "/close") response.close = true;
        if (request.path == "/204") response.status = 204;
        if (request.path == "/304") response.status = 304;
        if (request.path == "/large") {
            response.body.assign(std::strtoul(std::string{request.query}.c_str(), nullptr, 10), 'L');
            co_return;
        }
        response.add_header("x-canary", request.header("x-canary").value_or("none"));
        response.body.append(request.method_text).append(" ").append(request.target).append(" ").append(request.body);
    }
    void refuse(const http::Request& request, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
        response.add_header("x-path", request.path);
        response.add_header("x-lang", request.header("x-custom-lang").value_or("none"));
        response.body = kind.name;
    }

    std::vector<std::string> seen() const {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

protected:
    void remember(std::string_view target) {
        const std::lock_guard lock(mutex_);
        seen_.emplace_back(target);
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> seen_;
};

// A started server that stops at the end of its scope.
struct RunningServer {
    explicit RunningServer(http::ServerOptions options = on_loopback()) : server(std::move(options), application) {
        server.start();
    }
    RawClient connect() const { return RawClient{server.port()}; }
    // Sends the bytes and returns the first answer.
    RawAnswer ask(std::string_view bytes) const {
        RawClient client{server.port()};
        client.send(bytes);
        return client.read_answer();
    }

    TellingApplication application;
    http::Server server;
};

}  // namespace consentry::tests
