#include "features/system/endpoints.hpp"

#include "http/endpoint.hpp"

namespace consentry {
namespace {

storage::awaitable<Result<HelloResponse>> hello(System& system) { co_return system.hello(); }
storage::awaitable<Result<HealthReport<ServiceChecks>>> live() { co_return HealthReport<ServiceChecks>{}; }

}  // namespace

HelloResponse System::hello() const {
    const TimePoint now = clock_.now();
    return {{now, to_iso8601(now), epoch_ms(now)}, facts_.app, facts_.auth, facts_.message, facts_.request};
}

storage::awaitable<Result<HealthReport<ServiceChecks>>> System::ready() {
    if (stopping_.load()) throw Unavailable("the service is stopping");
    co_await database_.ping();
    HealthReport<ServiceChecks> out;
    out.info.database = out.details.database = HealthCheck{};
    // Most of the service works without the cache. Taking every instance out of rotation would stop that too.
    try {
        co_await cache_.ping();
        out.info.cache = out.details.cache = HealthCheck{};
    } catch (const Unavailable&) {
        out.error.cache = out.details.cache = HealthCheck{HealthState::down};
    }
    co_return out;
}

void add_system_endpoints(http::Router& router, System& system, bool documentation) {
    router.get("/hello")
        .also_at("/public/hello")
        .unversioned()
        .without_api_key()
        .id("hello")
        .tag("system")
        .says("Get facts about this deployment")
        .describes("Languages, limits and lifetimes of passwords that clients may want to show in advance.")
        .message("hello.hello")
        .handled_by([&system] { return hello(system); });

    router.get("/health")
        .also_at("/health/ready")
        .unversioned()
        .without_api_key()
        .id("ready")
        .tag("system")
        .says("Readiness check")
        .describes(
            "For load balancers. Answers 503 while the database does not respond or the service is stopping. Without "
            "the cache the service continues and reports the failure in `error`.")
        .message("health.check")
        .handled_by([&system] { return system.ready(); });

    router.get("/health/live")
        .unversioned()
        .without_api_key()
        .id("live")
        .tag("system")
        .says("Liveness check")
        .describes("For supervisors that restart a hung process. Checks neither the database nor the cache.")
        .message("health.check")
        .handled_by([] { return live(); });

    add_favicon_endpoint(router, system.documentation());
    if (documentation) add_documentation_endpoints(router, system.documentation());
}

}  // namespace consentry
