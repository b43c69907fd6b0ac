// One connection, from accept to close: reads requests, has the application answer them in order, writes the answers,
// and keeps the deadlines of ServerOptions (WEB-4). Lives on one thread.
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

class Connection final : public Expiring, public std::enable_shared_from_this<Connection> {
public:
    // The thread's own executor type, not the polymorphic one: smaller, and no indirect call per operation.
    using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

    // Serves until the connection ends; keeps itself alive. The caller has reserved it in ServerState.
    static void open(IoThread& thread, Socket socket, const boost::asio::ip::tcp::endpoint& peer);

    Connection(IoThread& thread, Socket socket, const boost::asio::ip::tcp::endpoint& peer);
    ~Connection();

    // The server stops: closes at once if no request is open or about to come; otherwise the next answer is the last.
    void stop();
    // stop_timeout is over: what is open ends without an answer.
    void abandon();

private:
    enum class Phase : std::uint8_t { idle, head, body, handling, writing, draining };
    using Done = boost::asio::awaitable<void>;

    Done run();
    Done read_request();
    Done answer_request();
    Done stream_body();
    Done flush();
    Done linger();

    void enter(Phase phase, CoarseClock::time_point deadline);
    void enter_phase_of_reader();
    void on_expired() override;
    void refuse(const ErrorKind& kind);
    void append_answer();
    void take_workspace();
    void give_back_workspace();
    bool write_some();  // false: the peer takes no more for now
    void write_if_suspended();
    void lose();

    IoThread& thread_;
    Socket socket_;
    boost::asio::ip::tcp::endpoint peer_;
    boost::asio::cancellation_signal cancellation_;
    std::unique_ptr<Workspace> work_;  // none while idle
    std::size_t written_ = 0;          // of work_->out
    CoarseClock::time_point request_deadline_{};
    Phase phase_ = Phase::idle;
    bool timed_out_ = false;
    bool asked_ = false;  // a request has begun
    bool open_ = true;    // another request may follow
    bool lost_ = false;   // nothing can be written any more
    bool write_posted_ = false;
    bool continue_sent_ = false;
};

}  // namespace consentry::http
