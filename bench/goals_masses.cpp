#include <algorithm>

#include <fmt/format.h>

#include "goals.hpp"
#include "load.hpp"
#include "masses.hpp"
#include "side.hpp"

namespace consentry::bench {
namespace {

// As many with few sessions as with many, and fewer than those whose signature the service remembers: what is compared
// is the storage.
constexpr std::size_t tokens_max = 10'000;

// The service over a database of a certain size.
class MassSide {
public:
    MassSide(const Stage& stage, std::string database, int cache, const Masses& masses)
        : stage_(stage),
          database_(stage, std::move(database), cache, masses, std::min(tokens_max, masses.sessions)),
          requests_(authenticated(status_path, database_.tokens())) {}

    // Uses every token once: its signature is checked, its session copied to the cache.
    void start() {
        service_ = stage_.serve(database_.settings());
        std::size_t next = 0;
        run({.port = service_.port,
             .duration = std::chrono::minutes{5},
             .next = [&](std::size_t) -> std::string_view {
                 return next == requests_.size() ? std::string_view() : requests_[next++];
             }})
            .all_well();
    }
    void stop() { service_ = {}; }
    void measure(std::chrono::nanoseconds duration) {
        const double before = service_.child->cpu_seconds();
        const Outcome outcome = run({.port = service_.port, .duration = duration, .next = [&](std::size_t) {
                                         return std::string_view(requests_[next_++ % requests_.size()]);
                                     }});
        outcome.all_well();
        per_second_.push_back(outcome.per_second());
        per_cpu_second_.push_back(static_cast<double>(outcome.count(200)) / (service_.child->cpu_seconds() - before));
        p99_ms_.push_back(outcome.latencies(200).milliseconds(0.99));
    }

    std::size_t tokens() const { return requests_.size(); }
    double fill_seconds() const { return database_.fill_seconds(); }
    const std::vector<double>& per_second() const { return per_second_; }
    const std::vector<double>& per_cpu_second() const { return per_cpu_second_; }
    std::string figures() const {
        return fmt::format("{}/s, {}/cpu-s, p99 {:.1f} ms", count(spread(per_second_).median),
                           count(spread(per_cpu_second_).median), spread(p99_ms_).median);
    }

private:
    const Stage& stage_;
    MassDatabase database_;
    Server service_;
    std::vector<std::string> requests_;
    std::size_t next_ = 0;
    std::vector<double> per_second_;
    std::vector<double> per_cpu_second_;
    std::vector<double> p99_ms_;
};

std::string text(const Masses& masses) {
    return fmt::format("{} accounts and {} sessions", count(static_cast<double>(masses.users)),
                       count(static_cast<double>(masses.sessions)));
}

}  // namespace

void measure_masses(const Stage& stage, Report& report) {
    constexpr double floor = 0.85;
    constexpr double bytes_max = 220;
    MassSide small(stage, "small", 1, stage.length().small);
    // While the service is away, so that the buffers of its connections are not counted.
    const std::int64_t bytes_before = stage.servers()->cache_bytes();
    small.start();
    small.stop();
    const double bytes_each =
        static_cast<double>(stage.servers()->cache_bytes() - bytes_before) / static_cast<double>(small.tokens());
    MassSide large(stage, "large", 2, stage.length().large);
    small.start();
    large.start();
    for (int round = 0; round < stage.length().rounds; ++round) {
        small.measure(stage.length().window);
        large.measure(stage.length().window);
    }
    const Spread per_second = ratio(large.per_second(), small.per_second());
    report.add({.goal = fmt::format("12 GET 2fa/status with {}, rotating through {} of them",
                                    text(stage.length().large), count(static_cast<double>(large.tokens()))),
                .floor = fmt::format("0.85 x the result with {}", text(stage.length().small)),
                .measured = large.figures(),
                .ratio = fmt::format("{}; per cpu-s {}", bench::text(per_second, 2),
                                     bench::text(ratio(large.per_cpu_second(), small.per_cpu_second()), 2)),
                .judged = {at_least(per_second, floor, "x with few, per second")}});
    report.add({.goal = "12 Redis memory per session",
                .floor = "220 B",
                .measured = fmt::format("{:.0f} B", bytes_each),
                .judged = {at_most(only(bytes_each), bytes_max, "B")}});
    report.note(fmt::format("goal 12 with {}: {}; writing the {} took {:.0f} s", text(stage.length().small),
                            small.figures(), text(stage.length().large), large.fill_seconds()));
}

}  // namespace consentry::bench
