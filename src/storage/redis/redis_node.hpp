// One server as known to one I/O thread: a connection that carries the commands of all the thread's coroutines, and the
// time of the next attempt after the connection was lost.
//
// Commands issued in one turn of the event loop leave in one write; replies are matched in order. No operation is
// pending while no reply is awaited. If a server does not answer in time the node closes the connection, since late
// replies would be matched to other commands. After that, and after a failed attempt to connect, commands fail at once
// for a pause of 50 ms, which doubles up to 1 s; then one command waits for a new attempt.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>

#include "storage/redis/redis_attempt.hpp"
#include "storage/redis/redis_link.hpp"

namespace consentry::storage::redis {

class Node;

// One command under way. It belongs to the caller and may be destroyed before the reply arrives.
struct Waiter {
    enum class End : std::uint8_t {
        answered,
        unwritten,  // the connection ended before any part of the command was sent
        lost,       // the connection ended; the command may have been executed
        failed,     // not sent, or timed out: see Node::trouble()
        canceled,   // the caller canceled
    };

    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter();

    End end = End::failed;  // final once the command is done
    Reply reply;            // if answered
    bool is_done() const { return node == nullptr; }

    asio::any_completion_handler<void()> handler;  // while a coroutine waits
    Node* node = nullptr;                          // the node that holds it
    std::uint64_t number = 0;
};

class Node : public std::enable_shared_from_this<Node> {
public:
    // Without a server: the master that the sentinels of the settings name.
    Node(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings,
         std::optional<RedisAddress> server);
    ~Node();

    // Takes the waiter, unless commands currently fail. `asking`: for a slot that is migrating to this server
    // (cluster).
    void send(std::span<const std::string_view> words, Waiter& waiter, bool asking);
    // Waits for a waiter that a node holds.
    static awaitable<void> wait(Waiter& waiter);

    // Whether commands currently fail at once.
    bool is_resting() const;
    bool is_idle() const { return state_ != State::connecting && in_flight_.empty(); }
    const std::string& trouble() const { return trouble_; }
    std::string named(std::string_view what) const;  // "redis at host:port: what"
    const std::optional<RedisAddress>& server() const { return server_; }

    // Closes the connection as if it had timed out.
    void give_up(std::string_view why);
    // Destroys the coroutines that wait here. Must be called before their executor ends.
    void stop();

private:
    friend struct Waiter;
    using Handler = asio::any_completion_handler<void()>;
    enum class State : std::uint8_t { closed, connecting, open };
    enum class Cause : std::uint8_t {
        hung_up,  // reconnect at once; commands may be repeated
        failed,   // pause before the next attempt
    };
    struct Sent {
        Waiter* waiter;  // null: the caller is gone
        SteadyTime deadline;
    };

    bool is_ready(SteadyTime now);
    void append(std::span<const std::string_view> words, Waiter& waiter, bool asking, SteadyTime deadline);
    void connect(SteadyTime now);
    void on_attempted(const std::shared_ptr<Attempt>& attempt, const std::exception_ptr& error,
                      std::shared_ptr<Link> link);
    void go_on(void (Node::*step)());
    void flush();
    void read();
    void on_read(std::string_view bytes);
    void on_lost(const boost::system::error_code& error);
    void keep_time();
    void on_time();
    void close(std::string trouble, Cause cause);
    std::vector<Handler> drop_all(Cause cause);

    const asio::any_io_executor executor_;
    const std::shared_ptr<const Settings> settings_;
    const std::optional<RedisAddress> server_;

    State state_ = State::closed;
    std::shared_ptr<Attempt> attempt_;  // while connecting
    std::shared_ptr<Link> link_;        // while open
    bool was_open_ = false;
    bool probing_ = false;  // connecting after a failure
    SteadyTime connect_deadline_{};
    std::size_t first_sentinel_ = 0;

    int failures_ = 0;  // in a row
    SteadyTime retry_at_{};
    std::string trouble_;

    std::string out_;  // not yet given to the link
    std::deque<Sent> in_flight_;
    std::uint64_t first_number_ = 0;    // of in_flight_
    std::uint64_t unwritten_from_ = 0;  // commands from this number on are still in out_
    bool flush_posted_ = false;
    bool writing_ = false;
    bool reading_ = false;

    asio::steady_timer timer_;
    bool timer_runs_ = false;
};

}  // namespace consentry::storage::redis
