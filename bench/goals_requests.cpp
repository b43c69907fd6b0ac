#include <fmt/format.h>

#include "crypto/signature_keys.hpp"
#include "goals.hpp"
#include "side.hpp"

namespace consentry::bench {
namespace {

// What PostgreSQL does for a request: statements, and processor time in all of its processes.
void measure_database_work(const Stage& stage, std::string_view name, const std::vector<std::string>& requests,
                           std::size_t connections, Report& report) {
    // One connection asks twice: for the session, and for what the answer says. More share statements.
    const double statements_max = connections > 1 ? 0.2 : 2.05;
    // Each token is known then, and the guard has read what it reads once for a session, such as acceptances.
    const auto serve_known_tokens = [&] {
        Server service = stage.serve();
        std::size_t next = 0;
        run({.port = service.port,
             .connections = 1,
             .duration = std::chrono::minutes{1},
             .next =
                 [&](std::size_t) {
                     return next == requests.size() ? std::string_view() : std::string_view(requests[next++]);
                 }})
            .all_well();
        return service;
    };
    // A statement that reads is a transaction of its own.
    const std::int64_t before = stage.servers()->committed_during("app", [&] { serve_known_tokens(); });
    std::size_t answered = 0;
    double processor_seconds = 0;
    const std::int64_t committed = stage.servers()->committed_during("app", [&] {
        const Server service = serve_known_tokens();
        std::size_t next = 0;
        const double processor_before = stage.servers()->database_cpu_seconds();
        answered = run({.port = service.port,
                        .connections = connections,
                        .duration = stage.length().window,
                        .next = [&](std::size_t) { return std::string_view(requests[next++ % requests.size()]); }})
                       .all_well()
                       .count(200);
        processor_seconds = stage.servers()->database_cpu_seconds() - processor_before;
    });
    const auto per_request = [&](double sum) { return sum / static_cast<double>(answered); };
    const double statements = per_request(static_cast<double>(committed - before));
    report.add({.goal = fmt::format("2 PostgreSQL statements per {}, connections: {}", name, connections),
                .floor = fmt::format("{}", statements_max),
                .measured = fmt::format("{:.2f}, {:.0f} us of processor time", statements,
                                        per_request(processor_seconds) * 1e6),
                .judged = {at_most(only(statements), statements_max, "per request")}});
}

}  // namespace

void measure_known_tokens(const Stage& stage, Report& report) {
    // Over PostgreSQL and Redis the rate is also that of their processes, which have the same cores: only the
    // processor time of the service is judged.
    const bool embedded = stage.servers() == nullptr;
    const double floor = embedded ? known_tokens_floor : 0.30;
    const auto requests = authenticated(status_path, stage.people().readers);
    if (!embedded) {
        measure_database_work(stage, "GET 2fa/status", requests, 1, report);
        measure_database_work(stage, "GET 2fa/status", requests, 64, report);
        measure_database_work(stage, "guarded GET profile",
                              authenticated("/api/v1/shared/user/profile", stage.people().readers), 1, report);
    }
    const Server service = stage.serve();
    const std::string body = once(service.port, requests.front());
    const Server nginx = stage.serve_nginx(body);
    const Server beast = stage.serve_beast(body.size());

    std::vector<Side> rivals;
    if (nginx.child) rivals.push_back({.name = "nginx", .server = &nginx, .requests = requests});
    rivals.push_back({.name = "bare Beast", .server = &beast, .requests = requests});
    std::vector<Side> ours;
    ours.push_back({.name = "GET 2fa/status", .server = &service, .requests = requests});
    ours.push_back(
        {.name = "GET session/list", .server = &service, .requests = authenticated(list_path, stage.people().readers)});
    ours.push_back({.name = "GET hello, unauthenticated", .server = &service, .requests = {get_request(hello_path)}});

    const auto all = [&](std::chrono::nanoseconds duration) {
        for (Side& side : rivals) side.measure(duration);
        for (Side& side : ours) side.measure(duration);
    };
    all(stage.length().window / 4);  // tokens become known, caches warm: not counted
    for (Side& side : rivals) side.forget();
    for (Side& side : ours) side.forget();
    for (int round = 0; round < stage.length().rounds; ++round) all(stage.length().window);

    const Side& rival = rivals.front();
    for (const Side& side : ours) {
        const Spread per_second = ratio(side.per_second, rival.per_second);
        const Spread per_cpu = ratio(side.per_cpu_second, rival.per_cpu_second);
        const bool judged = &side == ours.data();
        std::vector<Judged> figures;
        if (judged && embedded) figures.push_back(at_least(per_second, floor, "x N, per second"));
        if (judged) figures.push_back(at_least(per_cpu, floor, "x N, per cpu-s"));
        report.add({.goal = (embedded ? "1 " : "2 ") + side.name + (judged ? ", known tokens, " + stage.engines() : ""),
                    .floor = !judged    ? ""
                             : embedded ? "0.50 x N, per second and per cpu-s"
                                        : "0.30 x N per cpu-s",
                    .measured = side.figures(),
                    .ratio = fmt::format("{}; per cpu-s {}", text(per_second, 2), text(per_cpu, 2)),
                    .judged = std::move(figures)});
    }
    for (const Side& side : rivals)
        report.note(fmt::format("{}{}, goal {}: {}; {}-byte body", &side == &rival ? "N is " : "", side.name,
                                embedded ? 1 : 2, side.figures(), body.size()));
}

void measure_new_tokens(const Stage& stage, Report& report) {
    constexpr double floor = 0.70;
    const auto key = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256);
    const crypto::PublicKey verifier = key.public_key();
    const std::string input(600, 'x');  // as long as what is signed of a token
    const std::string signature = key.sign(input);
    std::vector<double> checks;
    std::vector<double> checks_per_cpu;
    const auto requests = authenticated(status_path, stage.people().strangers);
    Side side{.name = "new tokens", .server = nullptr, .requests = requests};
    for (int round = 0; round < stage.length().rounds; ++round) {
        const Pace pace = pace_of(stage.threads(), stage.length().window,
                                  [&](std::size_t) { verifier.verify(input, as_bytes(signature)); });
        checks.push_back(pace.per_second);
        checks_per_cpu.push_back(pace.per_cpu_second);
        const Server service = stage.serve();  // a new process has seen no token
        side.server = &service;
        side.measure(std::chrono::minutes{1}, requests.size());
    }
    const Spread per_second = ratio(side.per_second, checks);
    const Spread per_cpu = ratio(side.per_cpu_second, checks_per_cpu);
    report.add({.goal = "3 GET 2fa/status, first use of each token",
                .floor = "0.70 x P-256 verifications, per second and per cpu-s",
                .measured = side.figures(),
                .ratio = fmt::format("{}; per cpu-s {}", text(per_second, 2), text(per_cpu, 2)),
                .judged = {at_least(per_second, floor, "x verifications, per second"),
                           at_least(per_cpu, floor, "x verifications, per cpu-s")}});
    report.note(fmt::format("P-256 verifications on {} threads: {}/s, {}/cpu-s", stage.threads(),
                            count(spread(checks).median), count(spread(checks_per_cpu).median)));
}

}  // namespace consentry::bench
