// Metrics for Prometheus, all listed in docs/guides/metrics.md: responses by operation, method and status, their
// duration, errors by code, logins by outcome, and readings registered by other features.
//
// Labels come from the program and never from a request, so a client cannot create series (OPS-3).
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <prometheus/registry.h>

#include "http/observer.hpp"
#include "http/router.hpp"

namespace consentry {

class Metrics final : public http::Observer {
public:
    explicit Metrics(std::string_view program_version);
    ~Metrics() override;
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    // Registers the operations of a complete router. Call before the first response.
    void know(const http::Router& router);

    enum class Kind { gauge, counter };
    struct Sample {
        double value = 0;
        prometheus::Labels labels = {};
    };
    using Read = std::function<std::vector<Sample>()>;
    // Registers a reading that is taken at every scrape, on any thread. Call before the first scrape. What `read`
    // refers to must outlive the last one.
    void watch(std::string name, std::string help, Kind kind, Read read);

    void on_answer(const http::Exchange& exchange) noexcept override;

    // Prometheus text format, version 0.0.4.
    std::string text() const;

private:
    class OfOperation;
    enum class LoginStep : std::uint8_t { none, password, two_factor, two_factor_setup };
    struct Watched {
        std::string name;
        std::string help;
        Kind kind;
        Read read;
    };
    OfOperation& of(const http::Operation* operation);
    void count_error(const ErrorKind& kind);
    void count_login(LoginStep step, const http::Exchange& exchange);

    prometheus::Registry registry_;
    prometheus::Family<prometheus::Counter>& requests_;
    prometheus::Family<prometheus::Counter>& errors_;
    // By step and outcome. Created at the start, so that the first failure already shows as an increase.
    std::array<std::array<prometheus::Counter*, 4>, 3> logins_{};
    std::unordered_map<const http::Operation*, std::unique_ptr<OfOperation>> operations_;
    std::unique_ptr<OfOperation> unknown_;  // requests that matched no operation
    std::shared_mutex error_mutex_;
    std::unordered_map<const ErrorKind*, prometheus::Counter*> error_counters_;
    std::vector<Watched> watched_;
};

}  // namespace consentry
