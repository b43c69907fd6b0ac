#include "app/observation/readings.hpp"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "base/process.hpp"

namespace consentry {
namespace {

using Sample = Metrics::Sample;
using Kind = Metrics::Kind;

double seconds_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double open_files() {
    std::error_code error;
    double count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end; at.increment(error))
        ++count;
    return count - 1;  // without the descriptor used for counting
}

double open_files_max() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<double>(limit.rlim_cur);
}

// Age of the process: field 22 of /proc/self/stat is its start time in ticks after boot. Field 2, the name in
// parentheses, may contain spaces.
double age_in_seconds() {
    std::ifstream file("/proc/self/stat");
    std::string stat;
    std::getline(file, stat);
    std::istringstream words(stat.substr(stat.rfind(')') + 1));
    std::string word;
    for (int i = 3; i <= 22; ++i) words >> word;
    const double ticks = std::strtod(word.c_str(), nullptr);
    return seconds_of(CLOCK_BOOTTIME) - ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void watch_one(Metrics& metrics, const char* name, const char* help, Kind kind, double (*read)()) {
    metrics.watch(name, help, kind, [read] { return std::vector<Sample>{{read()}}; });
}

}  // namespace

void watch_process(Metrics& metrics, const Clock& clock) {
    watch_one(metrics, "process_resident_memory_bytes", "Resident memory in bytes", Kind::gauge,
              [] { return static_cast<double>(resident_bytes()); });
    watch_one(metrics, "process_cpu_seconds_total", "User and system CPU time in seconds", Kind::counter,
              [] { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); });
    watch_one(metrics, "process_open_fds", "Number of open file descriptors", Kind::gauge, open_files);
    watch_one(metrics, "process_max_fds", "Maximum number of open file descriptors", Kind::gauge, open_files_max);
    const double start = static_cast<double>(epoch_ms(clock.now())) / 1'000 - age_in_seconds();
    metrics.watch("process_start_time_seconds", "Start time of the process in seconds since 1970", Kind::gauge,
                  [start] { return std::vector<Sample>{{start}}; });
}

void watch_services(Metrics& metrics, Services& services) {
    const auto of_pools = [&](auto read) {
        return [&services, read] {
            return std::vector<Sample>{{static_cast<double>(read(services.hash_pool)), {{"pool", "hash"}}},
                                       {static_cast<double>(read(services.signing_pool)), {{"pool", "sign"}}}};
        };
    };
    metrics.watch("consentry_pool_tasks", "Tasks waiting or running", Kind::gauge,
                  of_pools([](const WorkerPool& pool) { return pool.waiting(); }));
    metrics.watch("consentry_pool_tasks_max", "Maximum number of tasks; further tasks are refused", Kind::gauge,
                  of_pools([](const WorkerPool& pool) { return pool.capacity(); }));
    metrics.watch("consentry_pool_refused_total", "Tasks refused because the pool was full", Kind::counter,
                  of_pools([](const WorkerPool& pool) { return pool.refused(); }));
    metrics.watch("consentry_logins_total",
                  "Login steps; a success starts a session or, in the set-up, enables two-factor authentication; a "
                  "challenge asks for the second factor",
                  Kind::counter, [&services] {
                      std::vector<Sample> out;
                      for (std::size_t step = 0; step < LoginCounts::steps.size(); ++step)
                          for (std::size_t end = 0; end < LoginCounts::ends.size(); ++end)
                              out.push_back({static_cast<double>(services.login.counts().read(step, end)),
                                             {{"step", std::string(LoginCounts::steps.at(step))},
                                              {"outcome", std::string(LoginCounts::ends.at(end))}}});
                      return out;
                  });
    // A timestamp rather than an age, so that the value is constant between scrapes.
    metrics.watch("consentry_signing_key_made_timestamp_seconds",
                  "Creation time of the signing key in seconds since 1970; only for keys in the key folder",
                  Kind::gauge, [&services] {
                      std::vector<Sample> out;
                      for (const TokenKind kind : {TokenKind::access, TokenKind::refresh})
                          if (const auto made = services.keys.keys(kind)->signing->made_at)
                              out.push_back({static_cast<double>(epoch_ms(*made)) / 1'000,
                                             {{"kind", std::string(name_of(kind))}}});
                      return out;
                  });
    metrics.watch("consentry_security_events_total", "Security events by name and outcome", Kind::counter, [&services] {
        std::vector<Sample> out;
        for (const auto& [name, outcome, count] : services.security_events.counts())
            out.push_back({static_cast<double>(count), {{"event", name}, {"outcome", std::string(text_of(outcome))}}});
        return out;
    });
}

void watch_budgets(Metrics& metrics, std::function<const http::Server&()> server) {
    const auto of_both = [server = std::move(server)](auto read) {
        return [server, read] {
            return std::vector<Sample>{{static_cast<double>(read(server().places())), {{"budget", "connections"}}},
                                       {static_cast<double>(read(server().bodies())), {{"budget", "body_bytes"}}}};
        };
    };
    using http::FairShares;
    metrics.watch("consentry_http_budget", "Size of the budget that client networks share", Kind::gauge,
                  of_both([](const FairShares& shares) { return shares.whole(); }));
    metrics.watch("consentry_http_budget_used", "Part of the budget in use", Kind::gauge,
                  of_both([](const FairShares& shares) { return shares.held(); }));
    metrics.watch("consentry_http_budget_used_most", "Maximum of the budget in use since the start", Kind::gauge,
                  of_both([](const FairShares& shares) { return shares.held_most(); }));
    metrics.watch("consentry_http_budget_gave_way_total",
                  "Connections and bodies ended in favor of other client networks", Kind::counter,
                  of_both([](const FairShares& shares) { return shares.gave_way(); }));
    metrics.watch("consentry_http_budget_refused_total", "Requests answered with 503 because the budget was exhausted",
                  Kind::counter, of_both([](const FairShares& shares) { return shares.refused(); }));
}

}  // namespace consentry
