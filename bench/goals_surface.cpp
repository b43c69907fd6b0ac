// What limits, ids, headers, CORS, metrics and logs cost.

#include "goals.hpp"
#include "side.hpp"

namespace consentry::bench {
namespace {

constexpr double shared_floor = 0.85;   // of the bare endpoint
constexpr double logging_floor = 0.75;  // of the same without logs

void compare(const std::string& goal, const std::string& floor_text, const std::string& unit, const Side& ours,
             const Side& base, double floor, Report& report) {
    const Spread per_second = ratio(ours.per_second, base.per_second);
    report.add({.goal = goal,
                .floor = floor_text,
                .measured = ours.figures(),
                .ratio = fmt::format("{}; per cpu-s {}", text(per_second, 2),
                                     text(ratio(ours.per_cpu_second, base.per_cpu_second), 2)),
                .judged = {at_least(per_second, floor, unit)}});
}

}  // namespace

void measure_surface(const Stage& stage, Report& report) {
    const auto requests = authenticated(status_path, stage.people().readers);
    const Environment all{{"CORS_ALLOWED_ORIGIN", "*.example.org"}, {"METRICS_ENABLE", "true"}};
    Environment logged = all;
    // Below its working directory, as in production; on the disk of the data.
    logged.insert(
        {{"LOGGER_ENABLE", "true"}, {"LOGGER_LEVEL", "info"}, {"LOGGER_INTO_FILE", "true"}, {"LOGGER_AUTO", "true"}});

    logged.merge(stage.beside("logged"));
    const Server bare = stage.serve_bare();
    const Server shared = stage.serve(all);
    const Server logging = stage.serve(logged, stage.working_folder("logged"));
    std::vector<Side> sides{{.name = "bare", .server = &bare, .requests = requests},
                            {.name = "everything shared", .server = &shared, .requests = requests},
                            {.name = "and every request logged to a file", .server = &logging, .requests = requests}};
    measure_in_turns(sides, stage.length());

    compare("GET 2fa/status with limits, IDs, headers, CORS and metrics", "0.85 x the bare endpoint",
            "x the bare endpoint, per second", sides[1], sides[0], shared_floor, report);
    compare("the same with every request logged to a file", "0.75 x without the log", "x without the log, per second",
            sides[2], sides[1], logging_floor, report);
    report.note(fmt::format("bare endpoint: {}", sides[0].figures()));
}

}  // namespace consentry::bench
