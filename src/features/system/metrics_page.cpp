#include "features/system/metrics_page.hpp"

namespace consentry {
namespace {

using Sample = Metrics::Sample;

storage::awaitable<Result<http::Raw>> nothing_here() { co_return fail(errors::route_not_found); }

struct Trial {
    bool answered = true;
    std::chrono::duration<double> took{};
};

storage::awaitable<Trial> try_out(storage::awaitable<void> ping) {
    const auto begin = std::chrono::steady_clock::now();
    Trial out;
    try {
        co_await std::move(ping);
    } catch (const Unavailable&) {
        out.answered = false;
    }
    out.took = std::chrono::steady_clock::now() - begin;
    co_return out;
}

}  // namespace

MetricsPage::MetricsPage(Metrics& metrics, storage::Database& database, storage::Cache& cache, WorkerPool& writers,
                         http::Networks allowed)
    : metrics_(metrics), database_(database), cache_(cache), writers_(writers), allowed_(std::move(allowed)) {
    metrics_.watch("consentry_dependency_up", "1 if the dependency responded during this scrape, else 0",
                   Metrics::Kind::gauge, [this] {
                       return std::vector<Sample>{
                           {database_reachable_.up.load() ? 1.0 : 0.0, {{"dependency", "database"}}},
                           {cache_reachable_.up.load() ? 1.0 : 0.0, {{"dependency", "cache"}}}};
                   });
    metrics_.watch("consentry_dependency_ping_seconds",
                   "Response time of the dependency, or time waited for it, during this scrape in seconds",
                   Metrics::Kind::gauge, [this] {
                       return std::vector<Sample>{{database_reachable_.seconds.load(), {{"dependency", "database"}}},
                                                  {cache_reachable_.seconds.load(), {{"dependency", "cache"}}}};
                   });
}

// The client is the peer, or the address that a trusted proxy names. Requests through an untrusted proxy are refused:
// all of them would appear to come from the proxy, which often runs on this machine.
bool MetricsPage::is_open_to(const http::RequestContext& context) const {
    return !context.through_stranger && allowed_.contains(context.client);
}

storage::awaitable<Result<http::Raw>> MetricsPage::page() {
    const Trial database = co_await try_out(database_.ping());
    database_reachable_.tried(database.answered, database.took);
    const Trial cache = co_await try_out(cache_.ping());
    cache_reachable_.tried(cache.answered, cache.took);
    std::string text = co_await writers_.run([this] { return metrics_.text(); });
    co_return http::Raw{.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)};
}

void add_metrics_endpoint(http::Router& router, MetricsPage& page) {
    router.get("/metrics")
        .outside_prefix()
        .without_api_key()
        .id("metrics")
        .tag("system")
        .says("Get metrics for Prometheus")
        .describes(
            "Text format, version 0.0.4. With `APP_ENV=production`, `METRICS_ENABLE=true` opens it. Answers only the "
            "networks in `METRICS_ALLOWED_FROM`.")
        .answers_with("text/plain")
        .may_fail({&errors::route_not_found})
        .handled_by([&page](const http::RequestContext& context) {
            return page.is_open_to(context) ? page.page() : nothing_here();
        });
}

}  // namespace consentry
