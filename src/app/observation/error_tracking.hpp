// Reports responses with status 500 and above to a server that speaks Sentry's protocol (SENTRY_DSN).
//
// A report contains the failure, the method and the path, and nothing else of the request. Reports wait in a short
// queue for a dedicated thread; if the server is slow or down, they are dropped and counted.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "app/config/sentry_dsn.hpp"
#include "base/clock.hpp"
#include "base/last_trouble.hpp"
#include "http/observer.hpp"
#include "net/http_client.hpp"

namespace consentry {

class ErrorTracking final : public http::Observer {
public:
    struct Options {
        SentryDsn dsn;
        milliseconds timeout{10'000};
        std::string release;
        std::string environment;
        std::string ca_file{};  // trusted instead of the system's certificates
    };
    explicit ErrorTracking(Options options);
    ~ErrorTracking() override;  // drops queued reports
    ErrorTracking(const ErrorTracking&) = delete;
    ErrorTracking& operator=(const ErrorTracking&) = delete;

    void on_answer(const http::Exchange& exchange) noexcept override;

    // Why the last report was not delivered; empty if it was, and before the first.
    std::string trouble() const { return trouble_.text(); }
    std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
    std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
    struct Report {
        std::string event_id;
        std::string event;        // JSON
        std::string traceparent;  // empty: the request had no trace
    };
    void work(const std::stop_token& stop);
    milliseconds send(const Report& report, const std::stop_token& stop);
    void drop(std::string_view why);

    const Options options_;
    net::HttpClient client_;
    std::atomic<std::uint64_t> sent_{0};
    std::atomic<std::uint64_t> lost_{0};
    LastTrouble trouble_;
    std::mutex mutex_;
    std::condition_variable_any ready_;
    std::deque<Report> queue_;
    std::jthread thread_;  // last, because it uses all members above
};

}  // namespace consentry
