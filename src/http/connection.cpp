#include "http/connection.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/errors.hpp"

namespace consentry::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using State = MessageReader::State;

// Of answers to pipelined requests, in one write: as much is held for a peer that does not read (WEB-4).
constexpr std::size_t gathered_bytes_max = 8 * 1024;
constexpr unsigned answers_per_turn_max = 8;                 // then the thread's other connections get their turn
constexpr std::chrono::milliseconds late_request_time{500};  // for a first request once the server stops
constexpr std::chrono::seconds linger_time{2};               // for the peer to read a last answer before the reset
constexpr std::size_t linger_bytes_max = 4 * 1024 * 1024;

BodyEnd body_end_of(const Request& request) { return request.version == 10 ? BodyEnd::connection : BodyEnd::chunk; }

bool is_decided(State state) { return state == State::complete || state == State::refused; }

}  // namespace

void Connection::open(IoThread& thread, Socket socket, const asio::ip::tcp::endpoint& peer) {
    auto connection = std::make_shared<Connection>(thread, std::move(socket), peer);
    thread.deadlines.add(*connection);
    asio::co_spawn(
        thread.context, connection->run(),
        asio::bind_cancellation_slot(connection->cancellation_.slot(), [connection](const std::exception_ptr&) mutable {
            // Posted: the coroutine's own cancellation state lies in the slot
            // and must not end before the coroutine has.
            asio::io_context& context = connection->thread_.context;
            asio::post(context, [last = std::move(connection)] {});
        }));
}

Connection::Connection(IoThread& thread, Socket socket, const asio::ip::tcp::endpoint& peer)
    : thread_(thread), socket_(std::move(socket)), peer_(peer) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

Connection::~Connection() {
    error_code ignored;
    socket_.close(ignored);
    thread_.server.release_connection();
}

void Connection::stop() {
    if (phase_ != Phase::idle) return;
    error_code ignored;
    // What has come already is answered, and whoever has only just connected may still ask (OPS-1).
    if (socket_.available(ignored) > 0) return;
    if (!asked_) {
        expire_at(CoarseClock::now() + late_request_time);
        return;
    }
    open_ = false;
    socket_.cancel(ignored);
}

void Connection::abandon() {
    lose();
    on_expired();
}

void Connection::lose() {
    lost_ = true;
    open_ = false;
}

void Connection::enter(Phase phase, CoarseClock::time_point deadline) {
    phase_ = phase;
    timed_out_ = false;
    expire_at(deadline);
}

void Connection::on_expired() {
    timed_out_ = true;
    if (phase_ == Phase::handling) {
        cancellation_.emit(asio::cancellation_type::terminal);
    } else {
        error_code ignored;
        socket_.cancel(ignored);
    }
}

void Connection::take_workspace() {
    work_ = thread_.borrow_workspace();
    work_->reader.request().peer = peer_.address();
    work_->reader.request().peer_port = peer_.port();
}

void Connection::give_back_workspace() {
    written_ = 0;
    thread_.give_back(std::move(work_));
}

// The road of a connection: wait for bytes, read a request, answer it, write, and again.
Connection::Done Connection::run() {
    error_code error;
    unsigned answers = 0;  // since this coroutine last gave up the thread
    while (open_) {
        if (!work_) {
            const auto patience = thread_.stopping ? late_request_time : thread_.server.options.idle_timeout;
            enter(Phase::idle, CoarseClock::now() + patience);
            co_await socket_.async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
            if (error || !open_) break;
            take_workspace();
            asked_ = true;
        }
        MessageReader& reader = work_->reader;
        if (!is_decided(reader.advance())) co_await read_request();
        if (lost_ || !is_decided(reader.state())) break;

        if (reader.state() == State::refused) {
            refuse(reader.refusal());
        } else {
            co_await answer_request();
        }
        if (!open_) break;

        reader.next();
        // Answers to requests that are here already leave together.
        if (reader.advance() == State::complete && work_->out.size() < gathered_bytes_max &&
            ++answers < answers_per_turn_max)
            continue;
        if (!write_some()) co_await flush();
        if (reader.state() == State::empty && !lost_) {
            give_back_workspace();
            answers = 0;
        } else if (++answers >= answers_per_turn_max) {
            co_await asio::post(asio::use_awaitable);
            answers = 0;
        }
    }
    if (work_ && !work_->out.empty() && !lost_ && !write_some()) co_await flush();
    const bool answered = work_ != nullptr;
    if (work_) give_back_workspace();
    if (answered && !lost_) co_await linger();
    socket_.close(error);
}

// Ends with a decided request, or with the connection at its end.
Connection::Done Connection::read_request() {
    MessageReader& reader = work_->reader;
    error_code error;
    while (!is_decided(reader.state())) {
        const std::span<char> space = reader.space();
        const std::size_t count = socket_.read_some(asio::buffer(space.data(), space.size()), error);
        if (!error) {
            reader.commit(count);
            reader.advance();
            continue;
        }
        if (error == asio::error::eof) {
            reader.end_of_input();
            if (reader.state() == State::empty) open_ = false;
            if (!is_decided(reader.state())) co_return;
            continue;
        }
        if (error != asio::error::would_block && error != asio::error::try_again) {
            lose();
            co_return;
        }
        if (reader.awaits_continue() && !continue_sent_) {
            continue_sent_ = true;
            work_->out.append("HTTP/1.1 100 Continue\r\n\r\n");
        }
        if (!work_->out.empty() && !write_some()) co_await flush();
        if (lost_) co_return;
        enter_phase_of_reader();
        co_await socket_.async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
        if (timed_out_ && !lost_) {
            refuse(errors::timeout);
            co_return;
        }
        if (error) lose();
        if (lost_) co_return;
    }
}

// Deadlines begin where reading first has to wait: a request that comes in one piece needs none of them.
void Connection::enter_phase_of_reader() {
    const ServerOptions& options = thread_.server.options;
    if (work_->reader.state() == State::body) {
        if (phase_ == Phase::body) return;
        const auto now = CoarseClock::now();
        request_deadline_ = now + options.request_timeout;
        enter(Phase::body, std::min<CoarseClock::time_point>(now + options.body_timeout, request_deadline_));
    } else if (phase_ != Phase::head) {
        enter(Phase::head, CoarseClock::now() + options.head_timeout);
    }
}

Connection::Done Connection::answer_request() {
    if (phase_ != Phase::body) request_deadline_ = CoarseClock::now() + thread_.server.options.request_timeout;
    enter(Phase::handling, request_deadline_);
    continue_sent_ = false;
    write_if_suspended();

    bool failed = false;
    work_->response.clear();
    try {
        co_await thread_.server.application.respond(work_->reader.request(), work_->response);
    } catch (...) {
        failed = true;  // the application's own last resort has failed; here only the process is kept alive
    }
    const bool late = timed_out_;
    if (late) {
        // A cancelled coroutine may not await; from here on it may again. First the turn is given up: the handler may
        // have been resumed from inside the signal, whose state is replaced here.
        co_await asio::this_coro::throw_if_cancelled(false);
        co_await asio::post(asio::use_awaitable);
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_await asio::this_coro::throw_if_cancelled(true);
    }
    if (lost_) co_return;
    if (failed) {
        refuse(late ? errors::timeout : errors::unknown);
    } else {
        append_answer();  // also when late: what was done should be told
        if (work_->response.stream) co_await stream_body();
    }
}

// The rest of an answer whose body is made as the client takes it. Each piece has the time of a request to be made in
// and that of an answer to be taken in; the whole may last. A failure must not look like an end: no last chunk, and a
// reset in the place of an orderly close.
Connection::Done Connection::stream_body() {
    const Request& request = work_->reader.request();
    const BodyEnd end = body_end_of(request);
    BodyStream stream = std::move(*work_->response.stream);
    work_->response.stream.reset();
    std::string piece = std::exchange(work_->response.body, {});
    std::size_t bytes = 0;
    StreamEnd how = StreamEnd::whole;
    std::string failure;
    try {
        while (request.method != Method::head) {
            append_piece(work_->out, piece, end);
            if (!write_some()) co_await flush();
            if (lost_) break;
            bytes += piece.size();
            enter(Phase::handling, CoarseClock::now() + thread_.server.options.request_timeout);
            std::optional<std::string> next = co_await stream.next();
            if (!next) break;
            piece = std::move(*next);
        }
    } catch (const std::exception& error) {
        how = StreamEnd::failed;
        failure = error.what();
    } catch (...) {
        how = StreamEnd::failed;
    }
    if (lost_) how = StreamEnd::client_gone;
    if (how != StreamEnd::whole) {
        error_code ignored;
        socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        lose();
    } else if (end == BodyEnd::chunk && request.method != Method::head) {
        append_last_chunk(work_->out);
    }
    if (stream.ended) stream.ended(how, bytes, failure);
}

void Connection::refuse(const ErrorKind& kind) {
    work_->response.clear();
    thread_.server.application.refuse(work_->reader.request(), kind, work_->response);
    work_->response.close = true;
    append_answer();
}

void Connection::append_answer() {
    const Request& request = work_->reader.request();
    const Response& response = work_->response;
    const BodyEnd end = response.stream ? body_end_of(request) : BodyEnd::length;
    if (response.close || !request.keep_alive || thread_.stopping || end == BodyEnd::connection) open_ = false;
    ConnectionLine line = ConnectionLine::silent;
    if (!open_) {
        line = ConnectionLine::close;
    } else if (request.version == 10) {
        line = ConnectionLine::keep_alive;
    }
    append_response(work_->out, response, request.method == Method::head, end, line, thread_.date.now());
}

// Earlier answers must not wait for a handler that takes long: should it suspend, the loop comes around to this.
void Connection::write_if_suspended() {
    if (work_->out.empty() || write_posted_) return;
    write_posted_ = true;
    asio::post(thread_.context, [self = shared_from_this()] {
        self->write_posted_ = false;
        if (self->phase_ == Phase::handling && self->work_) self->write_some();
    });
}

bool Connection::write_some() {
    std::string& out = work_->out;
    error_code error;
    while (written_ < out.size()) {
        written_ += socket_.write_some(asio::buffer(out.data() + written_, out.size() - written_), error);
        if (!error) continue;
        if (error == asio::error::would_block || error == asio::error::try_again) return false;
        lose();
        break;
    }
    out.clear();
    written_ = 0;
    return true;
}

Connection::Done Connection::flush() {
    enter(Phase::writing, CoarseClock::now() + thread_.server.options.write_timeout);
    error_code error;
    do {
        co_await socket_.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, error));
        if (error || timed_out_) lose();
    } while (!lost_ && !write_some());
}

// Closing with unread bytes resets the connection, and the reset may overtake the answer: first our half is closed,
// then for a while what still comes is thrown away.
Connection::Done Connection::linger() {
    error_code error;
    socket_.shutdown(Socket::shutdown_send, error);
    enter(Phase::draining, CoarseClock::now() + linger_time);
    std::size_t left = linger_bytes_max;
    while (left > 0 && !lost_) {
        const std::size_t count = socket_.read_some(asio::buffer(thread_.unwanted), error);
        left -= std::min(left, count);
        if (error == asio::error::would_block || error == asio::error::try_again) {
            co_await socket_.async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
            if (error || timed_out_) co_return;
        } else if (error) {
            co_return;
        }
    }
}

}  // namespace consentry::http
