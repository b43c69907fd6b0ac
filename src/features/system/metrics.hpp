// What Prometheus is told (docs/guides/metrics.md lists it all): answers by operation, method and status, the time they
// took, errors by code, logins by outcome, and what others let it read at each scrape.
//
// Labels come from the program, never from a request, so that nobody can make series (OPS-3).
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

    // The operations whose answers will be seen: of a finished router, before the first of them.
    void know(const http::Router& router);

    enum class Kind { gauge, counter };
    struct Sample {
        double value = 0;
        prometheus::Labels labels = {};
    };
    using Read = std::function<std::vector<Sample>()>;
    // Reads at every scrape, on any thread. Before the first scrape; what `read` refers to outlives the last.
    void watch(std::string name, std::string help, Kind kind, Read read);

    void on_answer(const http::Exchange& exchange) noexcept override;

    // In the text format, version 0.0.4.
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
    // By step and outcome; there from the start, so that the first failure already is an increase.
    std::array<std::array<prometheus::Counter*, 4>, 3> logins_{};
    std::unordered_map<const http::Operation*, std::unique_ptr<OfOperation>> operations_;
    std::unique_ptr<OfOperation> unknown_;  // what reached no operation
    std::shared_mutex error_mutex_;
    std::unordered_map<const ErrorKind*, prometheus::Counter*> error_counters_;
    std::vector<Watched> watched_;
};

}  // namespace consentry
