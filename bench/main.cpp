// Reproduces what the README says about speed; see script/bench.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "goals.hpp"

namespace {

using namespace consentry::bench;

struct Goal {
    std::string name;
    std::function<void(const Stage&, Report&)> measure;
};

const std::vector<Goal>& goals() {
    static const std::vector<Goal> all{
        {"1", measure_known_tokens}, {"3", measure_new_tokens},   {"4", measure_logins},   {"5", measure_verifications},
        {"6", measure_refreshes},    {"7", measure_under_logins}, {"8", measure_overload}, {"9", measure_memory},
        {"10", measure_connections}, {"11", measure_start},
    };
    return all;
}

std::string machine() {
    std::string name = "unknown processor";
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name")) {
            name = line.substr(line.find(':') + 2);
            break;
        }
    double load = 0;
    getloadavg(&load, 1);
    return fmt::format(
        "{} threads of {}, load average {:.1f} at the beginning; generator and servers on the same cores",
        std::thread::hardware_concurrency(), name, load);
}

void measure(const std::vector<std::string>& wanted, const Length& length, Report& report) {
    const auto is_wanted = [&](const Goal& goal) {
        return wanted.empty() || std::ranges::find(wanted, goal.name) != wanted.end();
    };
    if (std::ranges::none_of(goals(), is_wanted)) return;
    fmt::print(stderr, "Making accounts and sessions...\n");
    const Stage stage(CONSENTRY_BENCH_FOLDER, length);
    for (const Goal& goal : goals())
        if (is_wanted(goal)) goal.measure(stage, report);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures the goals of the benchmark and prints a table.");
    std::vector<std::string> wanted;
    bool quick = false;
    double build_seconds = 0;
    std::vector<std::string> names;
    for (const Goal& goal : goals()) names.push_back(goal.name);
    app.add_option("goal", wanted, "Numbers of the goals to measure; all, unless told otherwise")
        ->check(CLI::IsMember(names));
    app.add_flag("--quick", quick, "Few rounds: does it work at all?");
    app.add_option("--build-seconds", build_seconds, "How long a clean build took, for the table");
    CLI11_PARSE(app, argc, argv);
    try {
        raise_file_limit();
        Report report;
        report.note(machine());
        measure(build_seconds > 0 && wanted.empty() ? std::vector<std::string>{"none"} : wanted,
                quick ? Length::quick() : Length{}, report);
        const auto bytes = std::filesystem::file_size(CONSENTRY_BENCH_SERVER);
        report.note(fmt::format("the program: {:.1f} MiB", static_cast<double>(bytes) / (1 << 20)));
        if (build_seconds > 0)
            report.add({.goal = "14 Clean release build of the program",
                        .floor = "300 s",
                        .measured = fmt::format("{:.0f} s", build_seconds),
                        .met = build_seconds <= 300});
        report.print();
        return report.all_met() ? 0 : 3;
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench: {}\n", error.what());
        return 1;
    }
}
