// Deadlines for many connections with one timer per thread: a wheel of lists, one for each turn of the timer.
//
// A later deadline is only stored; the item changes its list when the turn of its list comes. An earlier deadline moves
// the item at once. So neither a request nor a turn of the wheel costs more with more connections. A deadline fires at
// most one interval late. The timer runs only while there are items to watch. Everything here belongs to one thread.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

namespace consentry::http {

// Monotonic time in kernel ticks (1 to 10 ms). Reading it takes a few nanoseconds, and the resolution suffices for
// timeouts.
struct CoarseClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<CoarseClock>;
    static constexpr bool is_steady = true;
    static time_point now() {
        std::timespec time{};
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
        return time_point{std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec}};
    }
};

// An object with one deadline, watched from its first Deadlines::expire() until its destruction.
class Expiring : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    Expiring(const Expiring&) = delete;
    Expiring& operator=(const Expiring&) = delete;

protected:
    Expiring() = default;
    ~Expiring() = default;
    // Called once per deadline, by the timer. May end other work, but must not destroy this object before it returns.
    virtual void on_expired() = 0;

private:
    friend class Deadlines;
    CoarseClock::time_point deadline_{};
    CoarseClock::time_point checked_at_{};  // the turn of its list
};

class Deadlines {
public:
    // Ending a connection takes about 40 us, and checking one 50 ns. These limits bound how long other requests wait
    // behind a burst of deadlines.
    static constexpr std::size_t expired_at_once_max = 4;
    static constexpr std::size_t checked_at_once_max = 1024;

    Deadlines(boost::asio::io_context& context, std::chrono::milliseconds interval)
        : timer_(context), interval_(interval) {}

    void expire(Expiring& item, CoarseClock::time_point deadline) {
        item.deadline_ = deadline;
        if (!item.is_linked() || deadline < item.checked_at_) place(item);
    }
    template <class Function>
    void for_each(Function function) {
        Items all;
        for (Items& list : wheel_) all.splice(all.end(), list);
        all.splice(all.end(), due_);
        while (!all.empty()) {
            Expiring& item = all.front();
            place(item);
            function(item);
        }
    }

private:
    using Items = boost::intrusive::list<Expiring, boost::intrusive::constant_time_size<false>>;
    using Turn = std::int64_t;                // intervals since the epoch of the clock
    static constexpr Turn revolution = 1024;  // items with a later deadline are checked once per revolution
    static constexpr Turn never = std::numeric_limits<Turn>::max();

    Turn turn_before(CoarseClock::time_point time) const { return time.time_since_epoch() / interval_; }
    CoarseClock::time_point time_of(Turn turn) const { return CoarseClock::time_point{turn * interval_}; }
    Items& list_of(Turn turn) { return wheel_[static_cast<std::size_t>(turn % revolution)]; }

    void place(Expiring& item) {
        if (next_ == never) done_ = turn_before(CoarseClock::now());  // the wheel was empty and stood still
        const Turn turn = std::clamp(turn_before(item.deadline_) + 1, done_ + 1, done_ + revolution);
        item.checked_at_ = time_of(turn);
        item.unlink();
        list_of(turn).push_back(item);
        if (turn < next_) wake_at(turn);
    }
    void wake_at(Turn turn) {
        next_ = turn;
        // Both clocks are CLOCK_MONOTONIC.
        timer_.expires_at(boost::asio::steady_timer::time_point{time_of(turn).time_since_epoch()});
        try {
            timer_.async_wait([this, turn](boost::system::error_code error) {
                if (!error && turn == next_) check();
            });
        } catch (const std::bad_alloc&) {
            next_ = never;  // the next item that is placed tries again
        }
    }
    void check() {
        // CoarseClock may be a kernel tick behind the clock of the timer.
        const auto now = std::max(CoarseClock::now(), time_of(next_));
        const bool is_complete = collect_due(now);
        for (std::size_t i = 0; i < expired_at_once_max && !due_.empty(); ++i) {
            Expiring& item = due_.front();
            const bool is_due = item.deadline_ <= now;  // may have been moved meanwhile
            if (is_due) item.deadline_ = CoarseClock::time_point::max();
            place(item);
            if (is_due) item.on_expired();
        }
        wake_at_next(is_complete && due_.empty());
    }
    // Returns false if there are more items than are checked at once.
    bool collect_due(CoarseClock::time_point now) {
        std::size_t left = checked_at_once_max;
        for (const Turn last = turn_before(now); done_ < last; ++done_) {
            Items& items = list_of(done_ + 1);
            for (; !items.empty(); --left) {
                if (left == 0) return false;
                Expiring& item = items.front();
                if (item.deadline_ <= now)
                    due_.splice(due_.end(), items, items.begin());
                else
                    place(item);
            }
        }
        return true;
    }
    void wake_at_next(bool is_done) {
        if (!is_done) return wake_at(done_);  // at once, but after other work that is ready
        for (Turn turn = done_ + 1; turn <= done_ + revolution; ++turn)
            if (!list_of(turn).empty()) return wake_at(turn);
        next_ = never;
    }

    boost::asio::steady_timer timer_;
    CoarseClock::duration interval_;
    Turn done_ = 0;      // all lists up to this turn have been checked
    Turn next_ = never;  // when the timer fires; never: nothing is watched
    std::array<Items, revolution> wheel_;
    Items due_;  // expired items that have yet to be processed
};

}  // namespace consentry::http
