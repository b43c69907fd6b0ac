// Metrics for Prometheus, all listed in docs/guides/metrics.md: responses by operation, method and status, their
// duration, errors by code, and readings registered by other features.
//
// Labels come from the program and never from a request, so a client cannot create series (OPS-3).
#pragma once

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
    // Whether responses of this status have a series of their own. All others count as "other".
    static bool tells(unsigned status);

    // Prometheus text format, version 0.0.4.
    std::string text() const;

private:
    class OfOperation;
    struct Watched {
        std::string name;
        std::string help;
        Kind kind;
        Read read;
    };
    OfOperation& of(const http::Operation* operation);
    void count_error(const ErrorKind& kind);

    prometheus::Registry registry_;
    prometheus::Family<prometheus::Counter>& requests_;
    prometheus::Family<prometheus::Counter>& errors_;
    std::unordered_map<const http::Operation*, std::unique_ptr<OfOperation>> operations_;
    std::unique_ptr<OfOperation> unknown_;  // requests that matched no operation
    std::shared_mutex error_mutex_;
    std::unordered_map<const ErrorKind*, prometheus::Counter*> error_counters_;
    std::vector<Watched> watched_;
};

}  // namespace consentry
