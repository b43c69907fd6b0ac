#include "features/system/endpoints.hpp"

#include "http/endpoint.hpp"

namespace consentry {
namespace {

storage::awaitable<Result<HelloResponse>> hello(System& system) { co_return system.hello(); }
storage::awaitable<Result<HealthResponse>> live() { co_return HealthResponse{.info = {}, .error = {}, .details = {}}; }
storage::awaitable<Result<http::Raw>> document(System& system) {
    co_return http::Raw{"application/json; charset=utf-8", system.document()};
}

}  // namespace

HelloResponse System::hello() const {
    const TimePoint now = clock_.now();
    return {{now, to_iso8601(now), epoch_ms(now)}, facts_.app, facts_.auth, facts_.message, facts_.request};
}

storage::awaitable<Result<HealthResponse>> System::ready() {
    if (stopping_.load()) throw Unavailable("the service is stopping");
    co_await database_.ping();
    HealthResponse out;
    out.info.database = out.details.database = HealthCheck{};
    // Without the cache most of the service goes on: taking every instance out of rotation would end that as well.
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
        .id("hello")
        .tag("system")
        .says("Greets, and tells what this deployment expects of its clients")
        .message("hello.hello")
        .handled_by([&system] { return hello(system); });

    router.get("/health")
        .also_at("/health/ready")
        .unversioned()
        .id("ready")
        .tag("system")
        .says("Whether the service can do its work: the database answers; the state of the cache is told beside it")
        .message("health.check")
        .handled_by([&system] { return system.ready(); });

    router.get("/health/live")
        .unversioned()
        .id("live")
        .tag("system")
        .says("Whether the process answers at all")
        .message("health.check")
        .handled_by([] { return live(); });

    if (documentation)
        router.get("/docs/json")
            .outside_prefix()
            .id("documentation")
            .tag("system")
            .says("This document")
            .answers_with("application/json")
            .handled_by([&system] { return document(system); });
}

}  // namespace consentry
