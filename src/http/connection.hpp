// One connection, from accept to close. Reads requests, passes them to the application in order, writes the answers,
// and enforces the timeouts of ServerOptions (WEB-4). Runs on a single thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/error.hpp"
#include "http/deadlines.hpp"
#include "http/io_thread.hpp"

namespace consentry::http {

class Connection final : public Expiring,
                         public std::enable_shared_from_this<Connection>,
                         private UnreadBody,
                         private RequestTime {
public:
    // The concrete executor type instead of any_io_executor: smaller, and saves an indirect call per operation.
    using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

    // Serves the connection until it ends; the object keeps itself alive. If the connection limit leaves no place,
    // answers one request with 503.
    static void open(IoThread& thread, Socket socket, const boost::asio::ip::tcp::endpoint& peer);

    Connection(IoThread& thread, Socket socket, const boost::asio::ip::tcp::endpoint& peer);
    ~Connection();

    // The server is stopping. Closes at once if no request is open or about to arrive; otherwise closes after the next
    // answer.
    void stop();
    // stop_timeout has expired: ends an open request without an answer.
    void abandon();

private:
    enum class Phase : std::uint8_t { idle, head, body, handling, writing, draining };
    using Done = boost::asio::awaitable<void>;
    using State = MessageReader::State;

    // A share of the connection limit or of the memory for bodies.
    class Share final : public FairShares::Holder {
    public:
        // `give_way` gets the number of the share on the thread of the connection, which may have another one by then.
        Share(Connection& connection, void (Connection::*give_way)(std::uint64_t), std::uint64_t number = 0)
            : connection_(connection), give_way_(give_way), number_(number) {}
        std::uint64_t number() const { return number_; }

    private:
        void give_way() noexcept override;
        Connection& connection_;
        void (Connection::*give_way_)(std::uint64_t);
        std::uint64_t number_;
    };

    bool find_place();
    void await_request();
    void serve();
    Done run();
    Done receive(bool (*is_enough)(State), Phase phase, CoarseClock::duration patience);
    boost::asio::awaitable<Result<void>> read(const boost::asio::ip::address& client) override;
    void renew() noexcept override;
    bool is_over() const noexcept override { return timed_out_ && !lost_; }
    Done answer_request();
    Done stream_body();
    Done flush_answers();
    Done flush();
    Done linger();

    void enter(Phase phase, CoarseClock::time_point deadline);
    void on_expired() override;
    void give_way(std::uint64_t);                // its place goes to another connection
    void give_way_body(std::uint64_t number);    // its body memory goes to another body or answer
    void give_way_unread(std::uint64_t number);  // the memory of its answer does
    void refuse(const ErrorKind& kind);
    bool body_is_passed();
    bool body_has_room();
    void append_answer();
    void note_client(const Request& request);
    bool unread_has_room();
    void release_unread();
    void drop_unread() noexcept;
    void take_workspace();
    void next_request();
    void release_body();
    CoarseClock::duration patience_for_head() const;
    CoarseClock::duration patience_when_idle() const;
    void give_back_workspace();
    bool write_some();  // false: the socket would block
    void write_if_suspended();
    void lose();

    IoThread& thread_;
    Socket socket_;
    boost::asio::ip::tcp::endpoint peer_;
    boost::asio::cancellation_signal cancellation_;
    std::unique_ptr<Workspace> work_;  // null while idle
    std::size_t written_ = 0;          // bytes of work_->out
    Share place_{*this, &Connection::give_way};
    std::unique_ptr<Share> body_;    // share of the body memory; null unless a long body is held
    std::uint64_t shares_ = 0;       // of the body memory so far
    std::unique_ptr<Share> unread_;  // the same for an answer; null unless the peer is slow to take a long one
    Phase phase_ = Phase::idle;
    bool turned_away_ = false;  // no place was free: answers 503 and closes
    bool timed_out_ = false;
    bool gave_way_ = false;     // gave way while reading a body
    bool body_failed_ = false;  // the end of the body is unknown
    bool asked_ = false;        // the first request has begun
    bool open_ = true;          // another request may follow
    bool lost_ = false;         // the socket is no longer writable
    bool write_posted_ = false;
    bool continue_sent_ = false;
};

}  // namespace consentry::http
