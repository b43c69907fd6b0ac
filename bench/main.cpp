// Measures the performance goals; see script/bench.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "goals.hpp"
#include "report_files.hpp"

namespace {

using namespace consentry::bench;

enum class Engines { embedded, servers };

struct Goal {
    std::string name;
    Engines engines;
    std::function<void(const Stage&, Report&)> measure;
    bool takes_long = false;       // measured where it is named
    std::optional<Crowd> crowd{};  // who is there, instead of the crowd of all others
};

const std::vector<Goal>& goals() {
    using enum Engines;
    static const std::vector<Goal> all{
        // First, so that one that is not installed fails at once.
        {"against-nginx", embedded, measure_against_nginx, true},
        {"against-glewlwyd", embedded, measure_against_glewlwyd, true},
        {"against-libsodium", embedded, measure_against_libsodium, true},
        {"1", embedded, measure_known_tokens},
        {"3", embedded, measure_new_tokens},
        {"4", embedded, measure_logins},
        {"5", embedded, measure_verifications},
        {"6", embedded, measure_refreshes},
        {"7", embedded, measure_under_logins},
        {"8", embedded, measure_overload},
        {"8", embedded, measure_fairness},
        {"9", embedded, measure_memory},
        {"10", embedded, measure_connections},
        {"11", embedded, measure_start},
        {"surface", embedded, measure_surface},
        {"pages", embedded, measure_pages},
        {"2", servers, measure_known_tokens},
        {"5", servers, measure_verifications},
        {"6", servers, measure_refreshes},
        {"11", servers, measure_start},
        {"12", servers, measure_masses, true},
        {"scale", servers, measure_scale, true},
        {"web-4", embedded, measure_slow_peers},
        {"log-5", embedded, measure_log_places},
        {"instructions", embedded, measure_instructions, true, instructions_crowd()},
        {"lists", embedded, measure_lists, true},
        {"lists", servers, measure_lists, true},
        {"consent", embedded, measure_consent, true},
        {"consent", servers, measure_consent, true},
        {"consent-log", embedded, measure_consent_log, true},
        {"consent-log", servers, measure_consent_log, true},
        {"logged-consent", embedded, measure_logged_consent, true},
        {"evidence", embedded, measure_evidence, true},
        {"policies", embedded, measure_publications, true},
        {"policies", servers, measure_publications, true},
        {"import", embedded, measure_import, true},
        {"import", servers, measure_import, true},
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
    return fmt::format("{} threads of {}, load average {:.1f} at the start; generator and servers share the cores",
                       std::thread::hardware_concurrency(), name, load);
}

// For the row of one that failed: some goals are measured over both.
std::string title_of(const Goal& goal) {
    return fmt::format("{}, {}", goal.name, goal.engines == Engines::servers ? "PostgreSQL + Redis" : "SQLite");
}

void measure(Engines engines, const std::vector<std::string>& wanted, const Length& length, Report& report) {
    const auto is_wanted = [&](const Goal& goal) {
        const bool named = std::ranges::find(wanted, goal.name) != wanted.end();
        return goal.engines == engines && (named || (wanted.empty() && !goal.takes_long));
    };
    std::optional<Servers> servers;
    std::optional<Stage> stage;
    bool is_used = true;
    for (const Goal& goal : goals()) {
        if (!is_wanted(goal)) continue;
        const bool went_well = report.attempt(title_of(goal), [&] {
            if (is_used || goal.takes_long) {
                stage.reset();
                if (engines == Engines::servers) {
                    fmt::print(stderr, "Starting PostgreSQL and Redis...\n");
                    servers.emplace();
                }
                fmt::print(stderr, "Creating accounts and sessions...\n");
                Length with_crowd = length;
                with_crowd.crowd = goal.crowd.value_or(length.crowd);
                stage.emplace(CONSENTRY_BENCH_FOLDER, with_crowd, servers ? &*servers : nullptr);
            }
            goal.measure(*stage, report);
        });
        // A goal that takes long leaves much data and a log with its own key, with which the next one cannot work. One
        // that failed may leave anything.
        is_used = goal.takes_long || !went_well;
    }
}

struct Options {
    std::vector<std::string> wanted;
    std::string rival;
    bool quick = false;
    double build_seconds = 0;
    std::filesystem::path report;  // empty: none
    std::string commit = "unknown";
};

void add_options(CLI::App& app, Options& options) {
    std::vector<std::string> names;
    for (const Goal& goal : goals()) names.push_back(goal.name);
    app.add_option("goal", options.wanted, "Names of the goals to measure; default: all quick ones")
        ->check(CLI::IsMember(names));
    app.add_flag("--quick", options.quick, "Run only a few rounds, to check that the benchmark works");
    app.add_option("--against", options.rival, "Measure another program in the same run")
        ->check(CLI::IsMember({"nginx", "glewlwyd", "libsodium"}));
    app.add_option("--build-seconds", options.build_seconds, "Duration of a clean build, for the table");
    app.add_option("--report", options.report, "Folder for report.md and report.svg; default: write neither")
        ->take_last();  // script/bench names one
    app.add_option("--commit", options.commit, "Name of the commit, for the report");
}

// So that no report of an earlier run remains if this one fails, and a folder that cannot be had fails at once.
void clear_reports(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (const char* name : {"report.md", "report.svg"}) std::filesystem::remove(folder / name);
}

ReportOrigin origin_of(const Options& options, const Length& length, std::string machine) {
    return {.commit = options.commit,
            .build = CONSENTRY_BENCH_BUILD,
            .length = fmt::format("{} rounds of {} ms", length.rounds, length.window.count()),
            .time = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr))),
            .machine = std::move(machine)};
}

Report measure(const Options& options, const Length& length) {
    Report report;
    std::vector<std::string> wanted = options.wanted;
    if (!options.rival.empty()) wanted.push_back("against-" + options.rival);
    if (options.build_seconds > 0 && wanted.empty()) wanted = {"none"};
    // One after the other: what PostgreSQL does in the background would be in the figures of the embedded engines.
    for (const Engines engines : {Engines::embedded, Engines::servers}) measure(engines, wanted, length, report);
    const auto bytes = std::filesystem::file_size(CONSENTRY_BENCH_SERVER);
    report.note(fmt::format("program size: {:.1f} MiB", static_cast<double>(bytes) / (1 << 20)));
    if (options.build_seconds > 0)
        report.add({.goal = "14 Clean release build of the program",
                    .floor = "300 s",
                    .measured = fmt::format("{:.0f} s", options.build_seconds),
                    .judged = {at_most(only(options.build_seconds), 300, "s")}});
    return report;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures the performance goals and prints a table.");
    Options options;
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        raise_file_limit();
        if (!options.report.empty()) clear_reports(options.report);
        const std::string on = machine();  // with the load before the first measurement
        const Length length = options.quick ? Length::quick() : Length{};
        const Report report = measure(options, length);
        fmt::print("{}\n{}- {}\n{}", report.table(), report.curves_list(), on, report.notes_list());
        if (!options.report.empty()) write_report(options.report, report, origin_of(options, length, on));
        return report.all_met() ? 0 : 3;
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench: {}\n", error.what());
        return 1;
    }
}
