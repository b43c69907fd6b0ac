// Deadlines for many connections with one coarse timer per thread: setting a deadline is a store, not a timer
// operation.
//
// A deadline fires at most one sweep interval late. If very many expire at once, other work runs in between. The timer
// runs only while there are items to watch. Everything here belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>
#include <iterator>

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

class Deadlines;

// An object with one deadline, watched from Deadlines::add() until its destruction.
class Expiring : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    Expiring(const Expiring&) = delete;
    Expiring& operator=(const Expiring&) = delete;

protected:
    Expiring() = default;
    ~Expiring() = default;
    void expire_at(CoarseClock::time_point time) { deadline_ = time; }
    // Called once per deadline, from the sweep. May end other work, but must not destroy this object before it returns.
    virtual void on_expired() = 0;

private:
    friend class Deadlines;
    CoarseClock::time_point deadline_ = CoarseClock::time_point::max();
};

class Deadlines {
public:
    // Ending a connection takes about 40 us. This limit bounds how long other requests wait behind a burst of expiries.
    static constexpr std::size_t expired_at_once_max = 4;

    Deadlines(boost::asio::io_context& context, std::chrono::milliseconds interval)
        : timer_(context), interval_(interval) {}

    void add(Expiring& item) {
        items_.push_back(item);
        if (!running_) sweep_after(interval_);
    }
    template <class Function>
    void for_each(Function function) {
        for (Expiring& item : items_) function(item);
        for (Expiring& item : due_) function(item);
    }

private:
    using Items = boost::intrusive::list<Expiring, boost::intrusive::constant_time_size<false>>;

    void sweep_after(std::chrono::milliseconds wait) {
        running_ = true;
        timer_.expires_after(wait);
        timer_.async_wait([this](boost::system::error_code error) {
            running_ = false;
            if (!error) sweep();
        });
    }
    void sweep() {
        const auto now = CoarseClock::now();
        if (due_.empty())
            for (auto at = items_.begin(); at != items_.end();) {
                Expiring& item = *at;
                at = item.deadline_ > now ? std::next(at) : items_.erase(at);
                if (item.deadline_ <= now) due_.push_back(item);
            }
        for (std::size_t i = 0; i < expired_at_once_max && !due_.empty(); ++i) {
            Expiring& item = due_.front();
            due_.pop_front();
            items_.push_back(item);
            if (item.deadline_ > now) continue;  // the deadline has been moved meanwhile
            item.deadline_ = CoarseClock::time_point::max();
            item.on_expired();
        }
        if (!due_.empty())
            sweep_after(std::chrono::milliseconds{0});
        else if (!items_.empty())
            sweep_after(interval_);
    }

    boost::asio::steady_timer timer_;
    std::chrono::milliseconds interval_;
    bool running_ = false;
    Items items_;
    Items due_;  // expired items that have yet to be processed
};

}  // namespace consentry::http
