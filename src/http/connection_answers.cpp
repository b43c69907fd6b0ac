// The part of Connection that obtains the answers and writes them.
#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/errors.hpp"
#include "http/connection.hpp"

namespace consentry::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Discards an unread body up to this size, so that the connection can be reused.
constexpr std::size_t dropped_bytes_max = 64 * 1024;

// What a peer may leave unread without paying for it: the answers that connection.cpp gathers, or one that is as small.
constexpr std::size_t unread_bytes_free = 8 * 1024;

// The length of a stream, if its handler knows it.
std::optional<std::size_t> stated_length(const Response& response) {
    constexpr std::string_view name = "\r\nContent-Length: ";
    const auto at = response.headers.find(name);
    if (at == std::string::npos) return std::nullopt;
    std::size_t length = 0;
    const std::string_view value = std::string_view(response.headers).substr(at + name.size());
    std::from_chars(value.data(), value.data() + value.size(), length);
    return length;
}

BodyEnd body_end_of(const Request& request, const Response& response) {
    if (stated_length(response)) return BodyEnd::stated_length;
    return request.version == 10 ? BodyEnd::connection : BodyEnd::chunk;
}

}  // namespace

Connection::Done Connection::answer_request() {
    MessageReader& reader = work_->reader;
    const auto now = CoarseClock::now();
    place_.seen(now.time_since_epoch().count());
    enter(Phase::handling, now + thread_.server.options.request_timeout);
    continue_sent_ = body_failed_ = false;
    if (reader.state() == State::body) reader.request().unread = this;
    reader.request().time = this;
    write_if_suspended();

    bool failed = false;
    work_->response.clear();
    try {
        co_await thread_.server.application.respond(reader.request(), work_->response);
    } catch (...) {
        failed = true;  // the client is gone, or respond() throws although it must not
    }
    const bool late = timed_out_;
    if (late) {
        // A canceled coroutine cannot await until its cancellation state is reset. It yields first, because the
        // handler may have been resumed from inside the signal whose state is replaced here.
        co_await asio::this_coro::throw_if_cancelled(false);
        co_await asio::post(asio::use_awaitable);
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_await asio::this_coro::throw_if_cancelled(true);
    }
    if (lost_) co_return;
    if (failed) {
        refuse(late ? errors::timeout : errors::unknown);
    } else {
        append_answer();  // if it was late, it may be a 408, or what was done all the same
        if (work_->response.stream) co_await stream_body();
    }
}

void Connection::renew() noexcept {
    if (phase_ != Phase::handling || timed_out_ || lost_) return;
    enter(Phase::handling, CoarseClock::now() + thread_.server.options.request_timeout);
}

// Writes the rest of an answer whose body is produced as the client takes it. Producing a piece is limited by the
// request timeout, and sending it by the write timeout; the whole stream has no limit. A failure must not look like a
// normal end, so it omits the last chunk and resets the connection.
Connection::Done Connection::stream_body() {
    const Request& request = work_->reader.request();
    const BodyEnd end = body_end_of(request, work_->response);
    const auto length = stated_length(work_->response);
    BodyStream stream = std::move(*work_->response.stream);
    work_->response.stream.reset();
    std::string piece = std::exchange(work_->response.body, {});
    std::size_t bytes = 0;
    StreamEnd how = StreamEnd::whole;
    std::string failure;
    try {
        while (request.method != Method::head) {
            append_piece(work_->out, piece, end);
            const std::size_t size = std::exchange(piece, {}).size();
            if (!write_some()) co_await flush();
            if (lost_) break;
            bytes += size;
            enter(Phase::handling, CoarseClock::now() + thread_.server.options.request_timeout);
            // Neither a client that reads fast nor a piece that is at hand would let other connections have a turn.
            co_await asio::post(asio::use_awaitable);
            std::optional<std::string> next = co_await stream.next();
            if (!next) break;
            piece = std::move(*next);
        }
        if (length && *length != bytes && request.method != Method::head && !lost_)
            throw std::length_error("the body does not have the length that its answer states");
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

// Whether the start of the next request behind this body is known.
bool Connection::body_is_passed() {
    MessageReader& reader = work_->reader;
    if (reader.state() == State::complete) return true;
    if (reader.state() != State::body || body_failed_) return false;
    // A client still waiting for "100 Continue" may or may not send the body.
    if (reader.awaits_continue() && !continue_sent_) return false;
    return reader.drop_body(dropped_bytes_max);
}

void Connection::append_answer() {
    const Request& request = work_->reader.request();
    const Response& response = work_->response;
    const BodyEnd end = response.stream ? body_end_of(request, response) : BodyEnd::length;
    if (response.close || !request.keep_alive || thread_.stopping || end == BodyEnd::connection || !body_is_passed())
        open_ = false;
    ConnectionLine line = ConnectionLine::silent;
    if (!open_) {
        line = ConnectionLine::close;
    } else if (request.version == 10) {
        line = ConnectionLine::keep_alive;
    }
    append_response(work_->out, response, request.method == Method::head, end, line, thread_.date.now());
    if (response.stream || work_->out.size() > unread_bytes_free) note_client(request);
}

// Answers may be gathered, and the request be gone, before their memory has to be charged to a client.
void Connection::note_client(const Request& request) {
    const auto& client_of = thread_.server.options.client_of;
    work_->client = client_of ? client_of(request) : peer_.address();
}

// Earlier answers must not wait for a slow handler. If the handler suspends, the event loop runs this write.
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

// Waits for a peer that takes its answers slowly, if at all. They are complete, so nothing of them is held twice.
Connection::Done Connection::flush_answers() {
    std::string().swap(work_->response.body);  // assigning an empty text would keep the memory
    co_await flush();
}

Connection::Done Connection::flush() {
    enter(Phase::writing, CoarseClock::now() + thread_.server.options.write_timeout);
    if (!unread_has_room()) lose();
    error_code error;
    while (!lost_) {
        co_await socket_.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, error));
        if (error || timed_out_) lose();
        if (lost_ || write_some()) break;
        if (unread_) unread_->seen(CoarseClock::now().time_since_epoch().count());
    }
    release_unread();
}

// Large answers share the memory of the bodies, so that it is bounded however many peers do not read (WEB-4). They
// stand as idle since their peer last took a part: the next large answer, of the same network too, replaces those
// that stand still.
bool Connection::unread_has_room() {
    if (work_->out.size() <= unread_bytes_free) return true;
    const auto ticks = CoarseClock::now().time_since_epoch().count();
    unread_ = std::make_unique<Share>(*this, &Connection::give_way_unread, ++shares_);
    unread_->seen(ticks);
    unread_->stands(FairShares::Standing::idle);
    FairShares& bodies = thread_.server.bodies;
    const std::size_t bytes = std::min(work_->out.capacity(), bodies.whole());  // one that is larger takes the whole
    return bodies.enter(*unread_, ClientNetwork::of(work_->client), bytes, ticks);
}

void Connection::release_unread() {
    if (unread_) thread_.server.bodies.leave(*unread_);
    unread_.reset();
}

// On its own thread, a connection that has a share waits in flush(). It frees the memory before the one that has made
// it give way goes on: all requests that have arrived together may be answered before a posted handler runs.
void Connection::drop_unread() noexcept {
    if (!thread_.context.get_executor().running_in_this_thread()) return;
    lose();
    std::string().swap(work_->out);
    written_ = 0;
}

void Connection::give_way_unread(std::uint64_t number) {
    if (!unread_ || unread_->number() != number) return;  // the peer has taken it meanwhile
    lose();
    error_code ignored;
    socket_.cancel(ignored);
}

}  // namespace consentry::http
