#include <stdexcept>

#include <fmt/format.h>

#include "goals.hpp"
#include "load.hpp"
#include "slow_peers.hpp"

namespace consentry::bench {

void measure_slow_peers(const Stage& stage, Report& report) {
    constexpr std::size_t peers = 10'000;
    constexpr double ratio_max = 2;
    constexpr double kib_each_max = 32;
    if (const std::size_t files = raise_file_limit(); files < peers + 200)
        throw std::runtime_error(
            fmt::format("this system allows {} open files (ulimit -Hn), {} are required", files, peers + 200));
    const Server service = stage.serve();
    const std::string request = get_request(status_path, stage.people().readers.front().access_token);
    // What others do meanwhile: far from the machine's limits, so that waiting shows.
    const auto p99_of_others = [&](std::chrono::nanoseconds duration) {
        const Outcome outcome = run({.port = service.port,
                                     .connections = 16,
                                     .duration = duration,
                                     .interval = std::chrono::milliseconds{20},
                                     .next = [&](std::size_t) { return std::string_view(request); }});
        return outcome.all_well().latencies(200).milliseconds(0.99);
    };
    // With five rounds the peers are there for a minute, and longer at a time than they get for a head.
    const auto window = stage.length().window * 8;
    std::vector<double> idle;
    std::vector<double> held;
    double kib_each = 0;
    std::size_t cut_off = 0;
    std::size_t lost = 0;
    for (int round = 0; round < stage.length().rounds; ++round) {
        p99_of_others(window / 8);  // until the server has let go of the peers of the round before
        idle.push_back(p99_of_others(window / 4));
        const double before = service.child->memory_mib();
        const SlowPeers slow(service.port, peers);
        p99_of_others(window / 4);  // until the unread answers are complete and their connections idle
        held.push_back(p99_of_others(window));
        // Later ones find the memory that the first have used.
        if (round == 0) kib_each = (service.child->memory_mib() - before) * 1024 / peers;
        cut_off += slow.cut_off();
        lost += slow.lost();
    }
    const Spread slower = ratio(held, idle);
    report.add({.goal = "web-4 p99 of other requests beside 10,000 peers that send or read one byte per 10 s",
                .floor = "2 x idle, 0 errors",
                .measured = fmt::format("{} ms, idle {} ms; {} peers disconnected, {} could not reconnect",
                                        text(spread(held), 2), text(spread(idle), 2), cut_off, lost),
                .ratio = text(slower, 2),
                .judged = {at_most(slower, ratio_max, "x idle, p99")},
                .also = lost == 0});
    report.add({.goal = "web-4 Memory per slow peer",
                .floor = "32 KiB",
                .measured = fmt::format("{:.1f} KiB", kib_each),
                .judged = {at_most(only(kib_each), kib_each_max, "KiB")}});
}

}  // namespace consentry::bench
