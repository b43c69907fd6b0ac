#include "storage/redis/redis_node.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error_text.hpp"

namespace consentry::storage::redis {
namespace {

using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// Bounds the memory that a slow server can cost; no thread has more requests open at once.
constexpr std::size_t in_flight_max = 16384;
constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{1000};

std::string what_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

void start_waiting(auto handler, Waiter* waiter) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto executor = asio::get_associated_executor(handler);
    // swap() because assigning an any_completion_handler recurses infinitely (Boost 1.81).
    asio::any_completion_handler<void()>(std::move(handler)).swap(waiter->handler);
    if (!slot.is_connected()) return;
    slot.assign([waiter, executor](asio::cancellation_type) {
        if (!waiter->handler) return;  // about to resume anyway
        waiter->end = Waiter::End::canceled;
        asio::any_completion_handler<void()> late;
        late.swap(waiter->handler);
        // Posted because the coroutine must not be resumed from inside its own cancellation.
        asio::post(executor, [late = std::move(late)]() mutable { std::move(late)(); });
    });
}

}  // namespace

Waiter::~Waiter() {
    if (node) node->in_flight_[number - node->first_number_].waiter = nullptr;
}

Node::Node(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings,
           std::optional<RedisAddress> server)
    : executor_(executor), settings_(std::move(settings)), server_(std::move(server)), timer_(executor) {}

Node::~Node() { stop(); }

void Node::send(std::span<const std::string_view> words, Waiter& waiter, bool asking) {
    const SteadyTime now = Clock::now();
    if (!is_ready(now)) return;
    if (in_flight_.size() >= in_flight_max) {
        trouble_ = named("too many commands are waiting");
        return;
    }
    append(words, waiter, asking, now + settings_->options().timeout);
    if (state_ == State::open && !writing_ && !flush_posted_) {
        asio::post(executor_, [self = shared_from_this()] {
            self->flush_posted_ = false;
            self->go_on(&Node::flush);
        });
        flush_posted_ = true;
    }
}

// If there is no memory for all of it, nothing is appended: each reply belongs to the command in its place.
void Node::append(std::span<const std::string_view> words, Waiter& waiter, bool asking, SteadyTime deadline) {
    const std::size_t bytes = out_.size();
    const std::size_t commands = in_flight_.size();
    try {
        if (asking) {
            const std::array<std::string_view, 1> asking_words{"ASKING"};
            in_flight_.push_back({.waiter = nullptr, .deadline = deadline});
            append_command(out_, asking_words);
        }
        in_flight_.push_back({.waiter = &waiter, .deadline = deadline});
        append_command(out_, words);
    } catch (...) {
        while (in_flight_.size() > commands) in_flight_.pop_back();
        out_.resize(bytes);
        throw;
    }
    waiter.node = this;
    waiter.number = first_number_ + in_flight_.size() - 1;
}

awaitable<void> Node::wait(Waiter& waiter) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
        [](auto handler, Waiter* waits) { start_waiting(std::move(handler), waits); }, asio::use_awaitable, &waiter);
}

bool Node::is_resting() const {
    return (state_ == State::connecting && probing_) || (state_ == State::closed && Clock::now() < retry_at_);
}

void Node::give_up(std::string_view why) { close(named(why), Cause::failed); }

void Node::stop() {
    timer_.cancel();
    drop_all(Cause::failed);  // destroys the returned handlers, which own the coroutines
}

bool Node::is_ready(SteadyTime now) {
    switch (state_) {
        case State::connecting:
            return !probing_;
        case State::closed:
            if (now < retry_at_) return false;
            break;
        case State::open:
            if (!in_flight_.empty() || !link_->is_stale()) return true;
            close(named("closed the connection"), Cause::hung_up);
    }
    connect(now);
    return true;
}

void Node::connect(SteadyTime now) {
    const bool is_short = was_open_ && server_ && !settings_->tls();
    attempt_ = std::make_shared<Attempt>(executor_, settings_, server_, first_sentinel_);
    state_ = State::connecting;
    probing_ = failures_ > 0;
    connect_deadline_ = now + (is_short ? settings_->options().timeout : settings_->long_connect_timeout());
    try {
        keep_time();
        asio::co_spawn(executor_, Attempt::run(attempt_),
                       [self = shared_from_this(), attempt = attempt_](const std::exception_ptr& error,
                                                                       std::shared_ptr<Link> link) {
                           self->on_attempted(attempt, error, std::move(link));
                       });
    } catch (...) {  // nothing would ever end the attempt
        state_ = State::closed;
        attempt_.reset();
        throw;
    }
}

void Node::on_attempted(const std::shared_ptr<Attempt>& attempt, const std::exception_ptr& error,
                        std::shared_ptr<Link> link) {
    if (attempt != attempt_) return;  // abandoned meanwhile
    if (error) return close(what_of(error), Cause::failed);
    first_sentinel_ = attempt_->first_sentinel();
    attempt_.reset();
    link_ = std::move(link);
    state_ = State::open;
    was_open_ = true;
    failures_ = 0;
    const SteadyTime deadline = Clock::now() + settings_->options().timeout;
    for (Sent& sent : in_flight_) sent.deadline = deadline;
    timer_.cancel();  // it ran for the attempt
    go_on(&Node::flush);
}

// Without memory, nothing would end the commands, or their bytes would be missing before those of later ones.
void Node::go_on(void (Node::*step)()) {
    try {
        (this->*step)();
    } catch (const std::bad_alloc&) {
        close("out of memory", Cause::failed);
    }
}

void Node::flush() {
    if (state_ != State::open || writing_ || out_.empty()) return;
    unwritten_from_ = first_number_ + in_flight_.size();
    link_->async_write(out_, [self = shared_from_this(), link = link_](const error_code& error, std::size_t) {
        if (link != self->link_) return;
        self->writing_ = false;
        if (error) return self->on_lost(error);
        self->go_on(&Node::flush);
    });
    writing_ = true;
    keep_time();
    read();
}

void Node::read() {
    if (reading_ || in_flight_.empty()) return;
    link_->async_read([self = shared_from_this(), link = link_](const error_code& error, std::size_t count) {
        if (link != self->link_) return;
        self->reading_ = false;
        if (error) return self->on_lost(error);
        self->on_read(link->input(count));
    });
    reading_ = true;
}

void Node::on_read(std::string_view bytes) {
    const std::shared_ptr<Link> link = link_;
    try {
        link->reader().feed(bytes);
        while (Reply reply = link->reader().next()) {
            if (in_flight_.empty()) return give_up("sent an unexpected reply");
            Waiter* const waiter = in_flight_.front().waiter;
            in_flight_.pop_front();
            ++first_number_;
            if (!waiter) continue;
            waiter->node = nullptr;
            if (waiter->end == Waiter::End::canceled) continue;
            waiter->end = Waiter::End::answered;
            waiter->reply = std::move(reply);
            if (!waiter->handler) continue;  // the caller does not wait yet
            Handler handler;
            handler.swap(waiter->handler);
            std::move(handler)();  // the coroutine may send a command or close the connection
            if (link != link_) return;
        }
    } catch (const Unavailable& failure) {
        return give_up(failure.what());
    } catch (const std::bad_alloc&) {  // part of a reply is lost
        return close("out of memory", Cause::failed);
    }
    if (in_flight_.empty()) {
        timer_.cancel();
    } else {
        go_on(&Node::read);
    }
}

void Node::on_lost(const error_code& error) { close(named(sentence_of(error)), Cause::hung_up); }

void Node::keep_time() {
    if (timer_runs_) return;
    timer_.expires_at(state_ == State::connecting ? connect_deadline_ : in_flight_.front().deadline);
    timer_.async_wait([self = shared_from_this()](const error_code&) {
        self->timer_runs_ = false;
        self->on_time();
    });
    timer_runs_ = true;
}

void Node::on_time() {
    // The wait may have been canceled, and the timer may serve another purpose by now.
    if (state_ == State::closed || in_flight_.empty()) return;
    const SteadyTime due = state_ == State::connecting ? connect_deadline_ : in_flight_.front().deadline;
    if (Clock::now() < due) return go_on(&Node::keep_time);
    give_up("did not respond in time");
}

void Node::close(std::string trouble, Cause cause) {
    trouble_ = std::move(trouble);
    if (cause == Cause::failed) {
        const int doublings = std::min(failures_++, 8);
        retry_at_ = Clock::now() + std::min(first_pause * (1 << doublings), longest_pause);
    }
    timer_.cancel();
    for (Handler& handler : drop_all(cause)) std::move(handler)();
}

std::vector<Node::Handler> Node::drop_all(Cause cause) {
    state_ = State::closed;
    writing_ = false;
    reading_ = false;
    out_.clear();
    if (const auto link = std::exchange(link_, nullptr)) link->close();
    if (const auto attempt = std::exchange(attempt_, nullptr)) {
        first_sentinel_ = attempt->first_sentinel();
        attempt->cancel();
    }
    std::vector<Handler> handlers;
    for (std::uint64_t number = first_number_; const Sent& sent : in_flight_) {
        const bool was_written = number++ < unwritten_from_;
        if (!sent.waiter) continue;
        sent.waiter->node = nullptr;
        if (sent.waiter->end == Waiter::End::canceled) continue;
        sent.waiter->end = cause == Cause::failed ? Waiter::End::failed
                           : was_written          ? Waiter::End::lost
                                                  : Waiter::End::unwritten;
        if (sent.waiter->handler) handlers.emplace_back().swap(sent.waiter->handler);
    }
    first_number_ += in_flight_.size();
    unwritten_from_ = first_number_;
    in_flight_.clear();
    return handlers;
}

std::string Node::named(std::string_view what) const {
    if (link_) return link_->named(what);
    if (server_) return "redis at " + server_->text() + ": " + std::string(what);
    return "redis master '" + settings_->options().master_name + "': " + std::string(what);
}

}  // namespace consentry::storage::redis
