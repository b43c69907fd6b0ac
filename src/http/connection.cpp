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

// Bytes of answers to pipelined requests that are gathered into one write. Also bounds what is held for a peer that
// does not read (WEB-4).
constexpr std::size_t gathered_bytes_max = 8 * 1024;
constexpr unsigned answers_per_turn_max = 8;                 // then other connections of the thread get a turn
constexpr std::chrono::milliseconds late_request_time{500};  // grace for a first request during shutdown
constexpr std::chrono::seconds linger_time{2};               // for the peer to read the last answer before a reset
constexpr std::chrono::seconds turned_away_time{2};          // for the request that is answered with 503
constexpr std::size_t linger_bytes_max = 4 * 1024 * 1024;
constexpr std::size_t turned_away_max = 256;  // connections waiting for their 503; any more are closed without one

bool is_decided(State state) { return state == State::complete || state == State::refused; }
bool has_begun(State state) { return state != State::empty; }
bool has_head(State state) { return state == State::body || is_decided(state); }

Error crowded() { return retry_later(errors::service_unavailable, std::chrono::seconds{1}); }

}  // namespace

void Connection::open(IoThread& thread, Socket socket, const asio::ip::tcp::endpoint& peer) {
    auto connection = std::make_shared<Connection>(thread, std::move(socket), peer);
    if (!connection->find_place()) return;
    connection->await_request();
}

// An idle connection waits without a coroutine, whose frames would take more memory than all the rest of it.
void Connection::await_request() {
    const auto now = CoarseClock::now();
    place_.seen(now.time_since_epoch().count());
    enter(Phase::idle, now + patience_when_idle());
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
        if (!error && self->open_) self->serve();
    });
}

void Connection::serve() {
    auto ended = [self = shared_from_this()](const std::exception_ptr& failure) mutable {
        if (!failure && self->open_) return self->await_request();
        // Posted, because the slot holds the coroutine's cancellation state, which must outlive the coroutine.
        asio::io_context& context = self->thread_.context;
        asio::post(context, [last = std::move(self)] {});
    };
    asio::co_spawn(thread_.context, run(), asio::bind_cancellation_slot(cancellation_.slot(), std::move(ended)));
}

Connection::Connection(IoThread& thread, Socket socket, const asio::ip::tcp::endpoint& peer)
    : thread_(thread), socket_(std::move(socket)), peer_(peer) {
    thread_.server.connections.fetch_add(1);
    error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

Connection::~Connection() {
    ServerState& server = thread_.server;
    server.places.leave(place_);
    release_body();
    release_unread();
    if (turned_away_) server.turned_away.fetch_sub(1);
    error_code ignored;
    socket_.close(ignored);
    server.connections.fetch_sub(1);
    server.on_connection_closed();
}

// Returns false if no place is free and too many connections are already waiting for their 503.
bool Connection::find_place() {
    ServerState& server = thread_.server;
    const auto now = CoarseClock::now().time_since_epoch().count();
    place_.seen(now);
    std::optional<ClientNetwork> network;
    if (!server.options.is_proxy || !server.options.is_proxy(peer_.address()))
        network = ClientNetwork::of(peer_.address());
    if (server.places.enter(place_, network, 1, now)) return true;
    turned_away_ = true;
    return server.turned_away.fetch_add(1) < turned_away_max;
}

void Connection::Share::give_way() noexcept {
    if (give_way_ == &Connection::give_way_unread) connection_.drop_unread();
    try {
        // Weak, because the connection may be ending right now.
        asio::post(connection_.thread_.context,
                   [weak = connection_.weak_from_this(), what = give_way_, number = number_] {
                       if (const auto found = weak.lock()) (found.get()->*what)(number);
                   });
    } catch (...) {  // out of memory: the connection's deadline ends it later
    }
}

void Connection::give_way(std::uint64_t /*number*/) {
    open_ = false;
    if (phase_ == Phase::handling) return;  // a request has arrived meanwhile and is answered
    if (phase_ == Phase::body)
        gave_way_ = true;
    else if (phase_ != Phase::idle)
        lost_ = true;
    error_code ignored;
    socket_.cancel(ignored);
}

void Connection::give_way_body(std::uint64_t number) {
    if (!body_ || body_->number() != number) return;  // of a request before this one
    if (phase_ != Phase::body) return;                // the body is complete: the answer follows soon
    gave_way_ = true;
    error_code ignored;
    socket_.cancel(ignored);
}

void Connection::stop() {
    if (phase_ != Phase::idle) return;
    error_code ignored;
    // Bytes that have already arrived are answered, and a peer that has just connected may still send a request
    // (OPS-1).
    if (socket_.available(ignored) > 0) return;
    if (!asked_) {
        thread_.deadlines.expire(*this, CoarseClock::now() + late_request_time);
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
    using enum FairShares::Standing;
    // Indexed by Phase.
    constexpr std::array standings{idle, idle, receiving, working, receiving, idle};
    phase_ = phase;
    place_.stands(standings[static_cast<std::size_t>(phase)]);
    timed_out_ = false;
    thread_.deadlines.expire(*this, deadline);
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

CoarseClock::duration Connection::patience_for_head() const {
    return turned_away_ ? turned_away_time : thread_.server.options.head_timeout;
}

CoarseClock::duration Connection::patience_when_idle() const {
    if (thread_.stopping) return late_request_time;
    // A connection that has sent nothing yet is treated like one with a slow head.
    return asked_ ? thread_.server.options.idle_timeout : patience_for_head();
}

void Connection::take_workspace() {
    work_ = thread_.borrow_workspace();
    work_->reader.request().peer = peer_.address();
    work_->reader.request().peer_port = peer_.port();
}

void Connection::next_request() {
    work_->reader.next();
    release_body();
}

void Connection::release_body() {
    if (body_) thread_.server.bodies.leave(*body_);
    body_.reset();
}

void Connection::give_back_workspace() {
    written_ = 0;
    thread_.give_back(std::move(work_));
    release_body();
}

// The main loop: read a head, answer the request, write, repeat. Returns when the connection is idle, or over (then
// open_ is false).
Connection::Done Connection::run() {
    take_workspace();
    unsigned answers = 0;  // since this coroutine last yielded the thread
    while (open_) {
        MessageReader& reader = work_->reader;
        // What has come may be an empty line, which begins no request: the connection remains idle as long as before.
        if (!has_begun(reader.advance())) co_await receive(has_begun, Phase::idle, patience_when_idle());
        if (!has_begun(reader.state())) break;
        asked_ = true;
        if (!has_head(reader.state())) co_await receive(has_head, Phase::head, patience_for_head());
        if (timed_out_ && !lost_ && !has_head(reader.state())) {
            refuse(errors::timeout);
            break;
        }
        if (lost_ || !has_head(reader.state())) break;

        if (reader.state() == State::refused) {
            refuse(reader.refusal());
        } else if (turned_away_) {
            refuse(errors::service_unavailable);
        } else {
            co_await answer_request();
        }
        if (!open_) break;
        if (reader.state() == State::body) {  // the application did not read it
            if (!write_some()) co_await flush_answers();
            if (!lost_) co_await receive(is_decided, Phase::body, thread_.server.options.body_timeout);
            if (lost_ || reader.state() != State::complete) break;
        }

        next_request();
        // Gathers the answers to requests that are already buffered into one write.
        if (reader.advance() == State::complete && work_->out.size() < gathered_bytes_max &&
            ++answers < answers_per_turn_max)
            continue;
        if (!write_some()) co_await flush_answers();
        if (reader.state() == State::empty && !lost_) {
            give_back_workspace();
            co_return;
        }
        if (++answers >= answers_per_turn_max) {
            co_await asio::post(asio::use_awaitable);
            answers = 0;
        }
    }
    open_ = false;
    if (!work_->out.empty() && !lost_ && !write_some()) {
        work_->reader.clear();  // the request is over
        release_body();
        co_await flush_answers();
    }
    give_back_workspace();
    if (!lost_) co_await linger();
}

// Returns once enough of the request has arrived, at the deadline, or at the end of the connection. The deadline starts
// when reading first has to wait, so a request that arrives in one piece needs none.
Connection::Done Connection::receive(bool (*is_enough)(State), Phase phase, CoarseClock::duration patience) {
    MessageReader& reader = work_->reader;
    std::optional<CoarseClock::time_point> deadline;
    error_code error;
    while (!is_enough(reader.state())) {
        const std::span<char> space = reader.space();
        const std::size_t count = socket_.read_some(asio::buffer(space.data(), space.size()), error);
        if (!error) {
            reader.commit(count);
            reader.advance();
            if (phase == Phase::body && !body_has_room()) {
                gave_way_ = true;
                co_return;
            }
            continue;
        }
        if (error == asio::error::eof) {
            reader.end_of_input();
            if (reader.state() == State::empty) open_ = false;
            if (!is_enough(reader.state())) co_return;
            continue;
        }
        if (error != asio::error::would_block && error != asio::error::try_again) {
            lose();
            co_return;
        }
        if (!deadline) deadline = CoarseClock::now() + patience;
        if (!work_->out.empty() && !write_some()) co_await flush();
        if (lost_) co_return;
        if (phase_ != phase) enter(phase, *deadline);
        if (timed_out_) co_return;  // in the phase before this coroutine
        co_await socket_.async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
        if (timed_out_ || gave_way_ || lost_) co_return;
        if (error) lose();
        if (lost_) co_return;
    }
}

// The length of a chunked body becomes known only as it arrives.
bool Connection::body_has_room() {
    const MessageReader& reader = work_->reader;
    if (!body_ || reader.state() != State::body || reader.body_memory() <= body_->part()) return true;
    return thread_.server.bodies.grow(*body_, reader.body_memory(), CoarseClock::now().time_since_epoch().count());
}

// Called by the application during answer_request().
asio::awaitable<Result<void>> Connection::read(const asio::ip::address& client) {
    const ServerOptions& options = thread_.server.options;
    MessageReader& reader = work_->reader;
    const auto now = CoarseClock::now();
    gave_way_ = false;
    if (const std::size_t bytes = reader.body_memory(); bytes > 0) {
        const auto ticks = now.time_since_epoch().count();
        auto share = std::make_unique<Share>(*this, &Connection::give_way_body, ++shares_);
        share->seen(ticks);
        share->stands(FairShares::Standing::receiving);
        if (!thread_.server.bodies.enter(*share, ClientNetwork::of(client), bytes, ticks)) co_return fail(crowded());
        body_ = std::move(share);
    }
    if (reader.awaits_continue()) {
        continue_sent_ = true;
        work_->out.append("HTTP/1.1 100 Continue\r\n\r\n");
    }
    co_await receive(is_decided, Phase::body, options.body_timeout);
    if (lost_ || (!is_decided(reader.state()) && !timed_out_ && !gave_way_))
        throw boost::system::system_error(asio::error::operation_aborted);
    const bool late = timed_out_;
    if (body_) body_->stands(FairShares::Standing::working);
    // The time of the work begins again: receiving has a limit of its own.
    enter(Phase::handling, CoarseClock::now() + options.request_timeout);
    if (reader.state() == State::complete) {
        if (body_) thread_.server.bodies.shrink(*body_, reader.request().body.size());
        reader.request().unread = nullptr;
        co_return Result<void>{};
    }
    body_failed_ = true;
    if (reader.state() == State::refused) co_return fail(reader.refusal());
    if (late) co_return fail(errors::timeout);
    co_return fail(crowded());
}

// Closing a socket with unread bytes resets the connection, and the reset may overtake the answer. So this shuts down
// the sending side first, and then discards incoming bytes for a while.
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
