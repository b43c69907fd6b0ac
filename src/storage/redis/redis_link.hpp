// One TCP or TLS connection to one server. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include "storage/redis/redis_reply.hpp"
#include "storage/redis/redis_url.hpp"

namespace consentry::storage::redis {

namespace asio = boost::asio;
using asio::awaitable;
using SteadyTime = std::chrono::steady_clock::time_point;

// Connection settings, shared by all threads.
class Settings {
public:
    // Throws std::runtime_error if a certificate or key cannot be read.
    explicit Settings(RedisOptions options);

    const RedisOptions& options() const { return options_; }
    asio::ssl::context* tls() const { return tls_.get(); }  // null: no TLS
    // The timeout for a first connection, one with TLS, and one that asks sentinels: each takes several round trips.
    milliseconds long_connect_timeout() const { return std::max(options_.timeout, milliseconds{1000}); }

private:
    const RedisOptions options_;
    std::unique_ptr<asio::ssl::context> tls_;
};

// An error that waiting does not fix: a password, a certificate, a setting. The message is for the operator and
// contains no secrets.
class Misconfigured : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Link : public std::enable_shared_from_this<Link> {
public:
    Link(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings, RedisAddress address);

    // Connects, verifies the certificate, authenticates and selects the database. Returns only after the server has
    // answered at least one command, because a frozen server still accepts connections. Throws Unavailable or
    // Misconfigured.
    awaitable<void> open(RedisCredentials credentials, unsigned db);

    // Sends complete commands and waits for as many replies. Must not overlap async_read() or async_write().
    awaitable<std::vector<Reply>> ask(std::vector<std::vector<std::string_view>> commands);

    template <class Handler>
    void async_read(Handler handler) {  // void(error_code, size_t) of input()
        std::visit([&](auto& stream) { stream.async_read_some(asio::buffer(input_), std::move(handler)); }, stream_);
    }
    // Moves the bytes out of `from`, which it leaves empty, and sends them all.
    template <class Handler>
    void async_write(std::string& from, Handler handler) {  // void(error_code, size_t)
        output_.clear();
        output_.swap(from);
        std::visit([&](auto& stream) { asio::async_write(stream, asio::buffer(output_), std::move(handler)); },
                   stream_);
    }
    std::string_view input(std::size_t count) const { return {input_.data(), count}; }
    ReplyReader& reader() { return reader_; }

    // For an idle connection: whether the server closed it or sent unexpected data.
    bool is_stale();
    // Fails the pending operations.
    void close();
    // Closes the connection after this time, unless called again. nullopt cancels the timer.
    void close_after(std::optional<milliseconds> time);

    const RedisAddress& address() const { return address_; }
    // "redis at host:port: what"
    std::string named(std::string_view what) const;

private:
    using Socket = asio::ip::tcp::socket;
    using TlsStream = asio::ssl::stream<Socket>;

    awaitable<void> connect();
    awaitable<void> handshake();
    awaitable<void> introduce(RedisCredentials credentials, unsigned db);
    Socket& socket();
    [[noreturn]] void fail(const boost::system::error_code& error);

    const std::shared_ptr<const Settings> settings_;
    const RedisAddress address_;
    asio::ip::tcp::resolver resolver_;
    std::variant<Socket, TlsStream> stream_;
    asio::steady_timer timer_;
    bool closed_ = false;
    bool timed_out_ = false;
    ReplyReader reader_;
    std::array<char, 16384> input_;  // the size of a TLS record
    std::string output_;
};

}  // namespace consentry::storage::redis
