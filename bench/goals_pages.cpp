// What a page for browsers costs: the first one that people see.
#include <chrono>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

constexpr double login_page_floor_ms = 2;
constexpr std::string_view login_page =
    "GET /login HTTP/1.1\r\nHost: login.example.org\r\nAccept: text/html,application/xhtml+xml\r\n"
    "Accept-Language: en\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
    "User-Agent: bench\r\n\r\n";

}  // namespace

void measure_pages(const Stage& stage, Report& report) {
    const Server service = stage.serve();
    std::size_t bytes = 0;
    const auto measure = [&](std::chrono::milliseconds interval) {
        Outcome out = run({.port = service.port,
                           .connections = 64,
                           .duration = stage.length().window * 2,
                           .interval = interval,
                           .next = [](std::size_t) { return login_page; },
                           .answered = [&](std::size_t, const Answer& answer) { bytes = answer.body.size(); }});
        out.all_well();
        return out;
    };
    measure(std::chrono::milliseconds{64});
    const Outcome calm = measure(std::chrono::milliseconds{64});
    const double p99 = calm.latencies(200).milliseconds(0.99);
    report.add({.goal = "pages: GET /login, 1,000 per second",
                .floor = "p99 2 ms",
                .measured = fmt::format("p50 {:.2f} ms, p99 {:.2f} ms, {} bytes", calm.latencies(200).milliseconds(0.5),
                                        p99, count(static_cast<double>(bytes))),
                .judged = {at_most(only(p99), login_page_floor_ms, "ms, p99")}});
    report.add({.goal = "pages: GET /login, 64 connections",
                .floor = "",
                .measured = fmt::format("{}/s", count(measure({}).per_second()))});
}

}  // namespace consentry::bench
