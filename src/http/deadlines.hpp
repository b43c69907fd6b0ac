// Deadlines of many connections with one coarse timer per thread: setting one is a store, not a timer.
//
// A deadline passes between its time and one sweep later; where very many do at once, other work comes in between. The
// timer runs only while there is something to watch. All of it belongs to one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

namespace consentry::http {

// Monotonic time in the kernel's ticks (1 to 10 ms): a few nanoseconds to read, and fine enough for deadlines.
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

// Something with one deadline; watched from add() until it is destroyed.
class Expiring : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    Expiring(const Expiring&) = delete;
    Expiring& operator=(const Expiring&) = delete;

protected:
    Expiring() = default;
    ~Expiring() = default;
    void expire_at(CoarseClock::time_point time) { deadline_ = time; }
    // Called once per deadline, from the sweep. May end things, but not destroy this object before it returns.
    virtual void on_expired() = 0;

private:
    friend class Deadlines;
    CoarseClock::time_point deadline_ = CoarseClock::time_point::max();
};

class Deadlines {
public:
    static constexpr std::size_t expired_at_once_max = 100;

    Deadlines(boost::asio::io_context& context, std::chrono::milliseconds interval)
        : timer_(context), interval_(interval) {}

    void add(Expiring& item) {
        items_.push_back(item);
        if (!running_) sweep_after(interval_);
    }
    template <class Function>
    void for_each(Function function) {
        for (Expiring& item : items_) function(item);
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
        for (Expiring& item : items_) {
            if (item.deadline_ > now) continue;
            item.deadline_ = CoarseClock::time_point::max();
            expired_.push_back(&item);
            if (expired_.size() == expired_at_once_max) break;
        }
        const bool is_portion = expired_.size() == expired_at_once_max;
        // Apart from the walk: whoever expires may unlink itself.
        for (Expiring* item : expired_) item->on_expired();
        expired_.clear();
        if (!items_.empty()) sweep_after(is_portion ? std::chrono::milliseconds{0} : interval_);
    }

    boost::asio::steady_timer timer_;
    std::chrono::milliseconds interval_;
    bool running_ = false;
    Items items_;
    std::vector<Expiring*> expired_;
};

}  // namespace consentry::http
