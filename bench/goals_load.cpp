#include <exception>
#include <thread>

#include <fmt/format.h>

#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t saturating_connections = 32;
constexpr std::chrono::milliseconds probe_interval{2};

struct Probe {
    std::string name;
    std::string request;
};

std::vector<Probe> probes(const Stage& stage) {
    return {{"hello", get_request(hello_path)},
            {"2fa/status", get_request(status_path, stage.people().readers.front().access_token)}};
}

// One connection that sends a request every two milliseconds.
Load probe_load(const Server& server, const Probe& probe, std::chrono::nanoseconds duration) {
    return {.port = server.port,
            .connections = 1,
            .duration = duration,
            .interval = probe_interval,
            .next = [&probe](std::size_t) { return std::string_view(probe.request); }};
}

// Both at the same time. An exception of the background goes through.
struct Together {
    Outcome background;
    Outcome probe;
};
Together run_together(const Load& background, const Load& probe) {
    Together out;
    std::exception_ptr failure;
    {
        const std::jthread other([&] {
            try {
                out.background = run(background);
            } catch (...) {
                failure = std::current_exception();
            }
        });
        out.probe = run(probe);
    }
    if (failure) std::rethrow_exception(failure);
    return out;
}

std::string latencies(const Latencies& of) {
    return fmt::format("p50 {:.2f} ms, p99 {:.2f} ms", of.milliseconds(0.5), of.milliseconds(0.99));
}

}  // namespace

void measure_under_logins(const Stage& stage, Report& report) {
    constexpr double p50_max_ms = 0.5;
    constexpr double p99_max_ms = 5;
    const Server service = stage.serve();
    LoginRequests logins(stage);
    const auto duration = stage.length().window * 2;
    for (const Probe& probe : probes(stage)) {
        once(service.port, probe.request);
        const Outcome idle = run(probe_load(service, probe, duration / 4));
        const Load saturating{.port = service.port,
                              .connections = saturating_connections,
                              .duration = duration,
                              .next = [&](std::size_t) { return logins.next(); }};
        std::vector<double> p50;
        std::vector<double> p99;
        std::vector<double> per_second;
        for (int round = 0; round < stage.length().rounds; ++round) {
            const Together both = run_together(saturating, probe_load(service, probe, duration));
            both.background.all_well();
            const Latencies& seen = both.probe.all_well().latencies(200);
            p50.push_back(seen.milliseconds(0.5));
            p99.push_back(seen.milliseconds(0.99));
            per_second.push_back(both.background.per_second());
        }
        report.add(
            {.goal = "7 GET " + probe.name + " while logins saturate the service",
             .floor = "p50 0.5 ms, p99 5 ms",
             .measured = fmt::format("p50 {} ms, p99 {} ms at {} logins/s", text(spread(p50), 2), text(spread(p99), 2),
                                     count(spread(per_second).median)),
             .ratio = "idle: " + latencies(idle.latencies(200)),
             .judged = {at_most(spread(p50), p50_max_ms, "ms, p50"), at_most(spread(p99), p99_max_ms, "ms, p99")}});
    }
}

namespace {

constexpr std::size_t crowd = 640;  // far more than the queue of one network holds

// Between two logins of one connection, so that all of them together begin ten times as many logins per second as there
// can be.
std::chrono::nanoseconds rush_interval(const Outcome& alone) {
    constexpr double demand = 10;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(crowd / (demand * alone.all_well().per_second())));
}

}  // namespace

void measure_overload(const Stage& stage, Report& report) {
    constexpr double refused_max_ms = 10;
    constexpr double others_p99_max_ms = 5;
    const Server service = stage.serve();
    LoginRequests logins(stage);
    const auto next = [&](std::size_t) { return logins.next(); };
    const Outcome alone = run(
        {.port = service.port, .connections = saturating_connections, .duration = stage.length().window, .next = next});
    const double before_mib = service.child->memory_mib();
    const Probe probe = probes(stage).back();
    once(service.port, probe.request);
    const auto duration = stage.length().window * 2;
    const Together both = run_together({.port = service.port,
                                        .connections = crowd,
                                        .duration = duration,
                                        .interval = rush_interval(alone),
                                        .next = next},
                                       probe_load(service, probe, duration));
    const Outcome& rush = both.background;
    const std::size_t refused = rush.count(503);
    const double refused_p50 = rush.latencies(503).milliseconds(0.5);
    const double refused_p99 = rush.latencies(503).milliseconds(0.99);
    const double others_p99 = both.probe.all_well().latencies(200).milliseconds(0.99);
    std::string statuses;
    std::size_t answers = 0;
    for (const auto& [status, of] : rush.by_status) {
        statuses += fmt::format("{} x {}, ", of.count(), status);
        answers += of.count();
    }
    // Each login is either refused or succeeds: refusals for a full queue must not lock an account.
    const bool clean = refused > 0 && rush.retry_after >= refused && refused + rush.count(200) == answers;
    report.add(
        {.goal = "8 Ten times the maximum login rate",
         .floor = "refused within 10 ms with Retry-After, other requests p99 5 ms",
         .measured = fmt::format(
             "{}refused p50 {:.1f} ms, p99 {:.1f} ms, {} logins/s, other requests p99 {:.2f} ms, memory {:+.0f} MiB",
             statuses, refused_p50, refused_p99, count(rush.per_second()), others_p99,
             service.child->memory_mib() - before_mib),
         .ratio = fmt::format("{:.2f} x the login rate without overload", rush.per_second() / alone.per_second()),
         .judged = {at_most(only(refused_p99), refused_max_ms, "ms, p99 of refusals"),
                    at_most(only(others_p99), others_p99_max_ms, "ms, p99 of other requests")},
         .also = clean});
}

void measure_fairness(const Stage& stage, Report& report) {
    constexpr double slower_max = 2;
    const Server service = stage.serve({{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    LoginRequests rush(stage, "198.51.100.7");
    LoginRequests others(stage, "203.0.113.9");
    const auto next = [&](std::size_t) { return rush.next(); };
    const auto interval = rush_interval(run({.port = service.port,
                                             .connections = saturating_connections,
                                             .duration = stage.length().window,
                                             .next = next}));
    const auto duration = stage.length().window * 2;
    const Load from_elsewhere{
        .port = service.port, .connections = 1, .duration = duration, .interval = 20ms, .next = [&](std::size_t) {
            return others.next();
        }};
    run(from_elsewhere).all_well();
    std::vector<double> idle;
    std::vector<double> rushed;
    for (int round = 0; round < stage.length().rounds; ++round) {
        idle.push_back(run(from_elsewhere).all_well().latencies(200).milliseconds(0.99));
        const Together both = run_together(
            {.port = service.port, .connections = crowd, .duration = duration, .interval = interval, .next = next},
            from_elsewhere);
        rushed.push_back(both.probe.all_well().latencies(200).milliseconds(0.99));
    }
    const Spread slower = ratio(rushed, idle);
    report.add({.goal = "8 Logins from one network while another demands ten times the maximum rate",
                .floor = "p99 2 x idle, none refused",
                .measured = fmt::format("p99 {} ms, idle {} ms", text(spread(rushed), 1), text(spread(idle), 1)),
                .ratio = text(slower, 2),
                .judged = {at_most(slower, slower_max, "x idle, p99")}});
}

}  // namespace consentry::bench
