#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {

using namespace std::chrono_literals;

void measure_memory(const Stage& stage, Report& report) {
    constexpr double idle_max_mib = 15;
    const std::string request = get_request(status_path, stage.people().readers.front().access_token);
    std::vector<double> idle;  // of several starts, because they differ
    const auto start = [&] {
        Server started = stage.serve();
        once(started.port, request);
        std::this_thread::sleep_for(500ms);  // what a start leaves behind is gone by then
        idle.push_back(started.child->memory_mib());
        return started;
    };
    for (int round = 1; round < stage.length().rounds; ++round) start();  // each has the data to itself
    const Server service = start();
    run({.port = service.port,
         .duration = stage.length().window,
         .next = [&](std::size_t) { return std::string_view(request); }})
        .all_well();
    LoginRequests logins(stage);
    run({.port = service.port,
         .connections = 32,
         .duration = stage.length().window,
         .next = [&](std::size_t) { return logins.next(); }})
        .all_well();
    std::this_thread::sleep_for(500ms);
    report.add({.goal = "9 Resident memory, idle",
                .floor = "15 MiB",
                .measured = fmt::format("{} MiB; after requests and logins {:.1f} MiB", text(spread(idle), 1),
                                        service.child->memory_mib()),
                .judged = {at_most(spread(idle), idle_max_mib, "MiB")}});
}

void measure_connections(const Stage& stage, Report& report) {
    constexpr std::size_t connections = 10'000;
    constexpr double more_max_mib = 12;
    if (const std::size_t files = raise_file_limit(); files < connections + 100)
        throw std::runtime_error(
            fmt::format("this system allows {} open files (ulimit -Hn), {} are required", files, connections + 100));
    const Server service = stage.serve();
    const std::string request = get_request(hello_path);
    const Load few{.port = service.port, .duration = stage.length().window / 4, .next = [&](std::size_t) {
                       return std::string_view(request);
                   }};
    run(few).all_well();
    const double before = service.child->memory_mib();
    double with = 0;
    std::vector<int> asked(connections);
    const Outcome outcome = run({.port = service.port,
                                 .connections = connections,
                                 .duration = 1min,
                                 .next = [&](std::size_t connection) -> std::string_view {
                                     return asked[connection]++ < 2 ? request : std::string_view();
                                 },
                                 .finished = [&] { with = service.child->memory_mib(); }});
    const std::size_t refused = 2 * connections - outcome.count(200);
    report.add({.goal = "10 10,000 keep-alive connections, each used twice",
                .floor = "+12 MiB, none refused",
                .measured = fmt::format("{:+.1f} MiB, {} refused", with - before, refused),
                .judged = {at_most(only(with - before), more_max_mib, "MiB more")},
                .also = refused == 0});
}

void measure_start(const Stage& stage, Report& report) {
    constexpr double start_max_ms = 100;
    const std::string request = get_request(status_path, stage.people().readers.front().access_token);
    std::vector<double> times;
    for (int round = 0; round < stage.length().rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        const Server service = stage.launch();
        service.child->wait_for_port(service.port);
        once(service.port, request);
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    report.add({.goal = "11 Time from exec to the first authenticated 200, " + stage.engines(),
                .floor = "100 ms",
                .measured = text(spread(times), 0) + " ms",
                .judged = {at_most(spread(times), start_max_ms, "ms")}});
}

}  // namespace consentry::bench
