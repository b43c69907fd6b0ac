#include "features/system/metrics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>

#include "base/errors.hpp"

namespace consentry {
namespace {

using prometheus::Counter;

// From an answer out of memory to the request timeout.
constexpr std::array<std::int64_t, 15> buckets_us{500,       1'000,     2'500,     5'000,      10'000,
                                                  25'000,    50'000,    100'000,   250'000,    500'000,
                                                  1'000'000, 2'500'000, 5'000'000, 10'000'000, 30'000'000};
constexpr std::size_t places = 8;  // threads beyond that share places

std::size_t own_place() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t place = next.fetch_add(1) % places;
    return place;
}

// A histogram in which each thread counts in a place of its own. The library's histogram takes a lock, on which two I/O
// threads lost a fifth of the throughput (script/bench surface).
class Durations {
public:
    void observe(std::chrono::microseconds took) {
        Place& place = places_[own_place()];
        const auto bucket = std::ranges::lower_bound(buckets_us, took.count()) - buckets_us.begin();
        place.counts[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
        place.microseconds.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
    }
    prometheus::ClientMetric::Histogram read() const {
        prometheus::ClientMetric::Histogram out;
        for (std::size_t i = 0; i <= buckets_us.size(); ++i) {
            for (const Place& place : places_) out.sample_count += place.counts[i].load(std::memory_order_relaxed);
            const double bound = i < buckets_us.size() ? static_cast<double>(buckets_us[i]) / 1e6
                                                       : std::numeric_limits<double>::infinity();
            out.bucket.push_back({out.sample_count, bound});
        }
        for (const Place& place : places_)
            out.sample_sum += static_cast<double>(place.microseconds.load(std::memory_order_relaxed)) * 1e-6;
        return out;
    }

private:
    struct alignas(64) Place {
        std::array<std::atomic<std::uint64_t>, buckets_us.size() + 1> counts{};
        std::atomic<std::uint64_t> microseconds{0};
    };
    std::array<Place, places> places_;
};

constexpr std::array methods{http::Method::get,   http::Method::head,    http::Method::post,    http::Method::put,
                             http::Method::patch, http::Method::delete_, http::Method::options, http::Method::other};
// The statuses that the service returns; any other one counts as "other".
constexpr std::array<unsigned, 26> statuses{200, 201, 204, 302, 303, 304, 400, 401, 403, 404, 405, 406, 408,
                                            409, 413, 414, 415, 417, 422, 429, 431, 500, 501, 502, 503, 505};

std::size_t place_of(unsigned status) {
    return static_cast<std::size_t>(std::ranges::lower_bound(statuses, status) - statuses.begin());
}
prometheus::Labels labels_of(const ErrorKind& kind) {
    return {{"code_key", std::string(kind.name)}, {"module", std::string(kind.module)}};
}
bool is_listed(unsigned status) {
    const std::size_t place = place_of(status);
    return place < statuses.size() && statuses[place] == status;
}

}  // namespace

// The series of one operation. Created on first use and found by index from then on.
class Metrics::OfOperation {
public:
    OfOperation(Metrics& metrics, std::string id) : metrics_(metrics), id_(std::move(id)) {}

    Counter& requests(http::Method method, unsigned status) {
        const auto row = static_cast<std::size_t>(std::ranges::find(methods, method) - methods.begin());
        const bool listed = is_listed(status);
        return found_or_made(requests_.at(row).at(listed ? place_of(status) : statuses.size()), [&]() -> Counter& {
            return metrics_.requests_.Add(
                {{"operation", id_},
                 {"method", method == http::Method::other ? "other" : std::string(name_of(method))},
                 {"status", listed ? std::to_string(status) : "other"}});
        });
    }
    Durations seconds;
    const std::string& id() const { return id_; }

private:
    // Two threads that create a series at the same time get the same one.
    template <class Series, class Make>
    static Series& found_or_made(std::atomic<Series*>& known, Make make) {
        Series* series = known.load(std::memory_order_acquire);
        if (series == nullptr) known.store(series = &make(), std::memory_order_release);
        return *series;
    }

    Metrics& metrics_;
    const std::string id_;
    std::array<std::array<std::atomic<Counter*>, statuses.size() + 1>, methods.size()> requests_{};
};

Metrics::Metrics(std::string_view program_version)
    : requests_(prometheus::BuildCounter()
                    .Name("consentry_http_requests_total")
                    .Help("HTTP requests answered; operation \"unknown\" means no endpoint matched")
                    .Register(registry_)),
      errors_(prometheus::BuildCounter()
                  .Name("consentry_http_errors_total")
                  .Help("Error responses by the name and module shown to the client")
                  .Register(registry_)),
      unknown_(std::make_unique<OfOperation>(*this, "unknown")) {
    errors_.Add(labels_of(errors::unknown));  // increase() cannot see the first error of a series that begins with it
    prometheus::BuildGauge()
        .Name("consentry_build_info")
        .Help("Version of the program; always 1")
        .Register(registry_)
        .Add({{"version", std::string(program_version)}})
        .Set(1);
}

Metrics::~Metrics() = default;

void Metrics::know(const http::Router& router) {
    for (const auto* operations : {&router.operations(), &router.pages()})
        for (const auto& operation : *operations)
            operations_[operation.get()] = std::make_unique<OfOperation>(*this, operation->id);
}

Metrics::OfOperation& Metrics::of(const http::Operation* operation) {
    const auto found = operations_.find(operation);
    return found == operations_.end() ? *unknown_ : *found->second;
}

bool Metrics::tells(unsigned status) { return is_listed(status); }

void Metrics::watch(std::string name, std::string help, Kind kind, Read read) {
    watched_.push_back({std::move(name), std::move(help), kind, std::move(read)});
}

void Metrics::on_answer(const http::Exchange& exchange) noexcept {
    try {
        OfOperation& series = of(exchange.operation);
        series.requests(exchange.context.request.method, exchange.response.status).Increment();
        series.seconds.observe(exchange.took);
        if (exchange.error != nullptr) count_error(*exchange.error);
    } catch (...) {
        // Out of memory for a new series. Sending the response matters more.
    }
}

void Metrics::count_error(const ErrorKind& kind) {
    {
        const std::shared_lock lock(error_mutex_);
        if (const auto known = error_counters_.find(&kind); known != error_counters_.end())
            return known->second->Increment();
    }
    Counter& counter = errors_.Add(labels_of(kind));
    counter.Increment();
    const std::unique_lock lock(error_mutex_);
    error_counters_.emplace(&kind, &counter);
}

std::string Metrics::text() const {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    prometheus::MetricFamily durations{.name = "consentry_http_request_duration_seconds",
                                       .help = "Time from the end of the request headers to the response, in seconds",
                                       .type = prometheus::MetricType::Histogram,
                                       .metric = {}};
    const auto add = [&](const OfOperation& operation) {
        prometheus::ClientMetric metric;
        metric.histogram = operation.seconds.read();
        if (metric.histogram.sample_count == 0) return;
        metric.label.push_back({"operation", operation.id()});
        durations.metric.push_back(std::move(metric));
    };
    for (const auto& operation : operations_) add(*operation.second);
    add(*unknown_);
    families.push_back(std::move(durations));
    for (const Watched& one : watched_) {
        prometheus::MetricFamily family;
        family.name = one.name;
        family.help = one.help;
        family.type = one.kind == Kind::gauge ? prometheus::MetricType::Gauge : prometheus::MetricType::Counter;
        for (const Sample& sample : one.read()) {
            prometheus::ClientMetric metric;
            for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
            (one.kind == Kind::gauge ? metric.gauge.value : metric.counter.value) = sample.value;
            family.metric.push_back(std::move(metric));
        }
        families.push_back(std::move(family));
    }
    return prometheus::TextSerializer{}.Serialize(families);
}

}  // namespace consentry
