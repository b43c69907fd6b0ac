// One of those that are compared: a server and what is asked of it.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "load.hpp"
#include "report.hpp"
#include "stage.hpp"

namespace consentry::bench {

// The figures of one side, round by round.
struct Side {
    std::string name;
    const Server* server = nullptr;
    std::vector<std::string> requests;  // of the connections, in turn
    std::size_t connections = 64;
    std::vector<double> per_second = {};
    std::vector<double> per_cpu_second = {};
    std::vector<double> p99_ms = {};

    void measure(std::chrono::nanoseconds duration, std::size_t requests_max = 0) {
        std::size_t next = 0;
        const double before = server->child->cpu_seconds();
        const Outcome outcome = run({.port = server->port,
                                     .connections = connections,
                                     .duration = duration,
                                     .next = [&](std::size_t) -> std::string_view {
                                         if (requests_max != 0 && next == requests_max) return {};
                                         return requests[next++ % requests.size()];
                                     }});
        outcome.all_well();
        per_second.push_back(outcome.per_second());
        per_cpu_second.push_back(static_cast<double>(outcome.count(200)) / (server->child->cpu_seconds() - before));
        p99_ms.push_back(outcome.latencies(200).milliseconds(0.99));
    }
    void forget() {
        per_second.clear();
        per_cpu_second.clear();
        p99_ms.clear();
    }
    std::string figures() const {
        return fmt::format("{}/s, {}/cpu-s, p99 {:.1f} ms", count(spread(per_second).median),
                           count(spread(per_cpu_second).median), spread(p99_ms).median);
    }
};

// Each of them in every round, one right after the other. First for a moment that is not counted: tokens become known,
// caches warm.
inline void measure_in_turns(std::span<Side> sides, const Length& length) {
    for (Side& side : sides) side.measure(length.window / 4);
    for (Side& side : sides) side.forget();
    for (int round = 0; round < length.rounds; ++round)
        for (Side& side : sides) side.measure(length.window);
}

inline std::vector<std::string> authenticated(std::string_view path, std::span<const TokenPair> tokens) {
    std::vector<std::string> out;
    for (const TokenPair& pair : tokens) out.push_back(get_request(path, pair.access_token));
    return out;
}

}  // namespace consentry::bench
