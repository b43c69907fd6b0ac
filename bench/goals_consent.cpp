// What consent costs: the guard beside the same request without it, acceptances on disk, and pages of a long history.
#include <algorithm>
#include <array>
#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "goals.hpp"
#include "side.hpp"

namespace consentry::bench {
namespace {

constexpr double guarded_floor = 0.90;  // of the same request unguarded
constexpr double profile_floor = 0.70;  // of an authenticated request that reads little
constexpr double accept_floor = 2'000;  // per second, embedded
constexpr double page_floor_ms = 5;     // of a page of a long history, and of a withdrawal after it
constexpr std::string_view types[] = {"termsOfService", "privacy", "marketing", "cookies"};

// One writing statement of the service's own database.
void execute(Services& services, const std::string& sql, const storage::Params& params = {}) {
    storage::Transaction transaction;
    transaction.add({storage::Expect::any, sql, params});
    boost::asio::io_context context;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, services.database.commit(std::move(transaction)),
                          [&](std::exception_ptr error, const storage::Outcome&) { failure = error; });
    context.run();
    if (failure) std::rethrow_exception(failure);
}

// These versions have no texts.
Uuid publish(Services& services, std::string_view type, std::int64_t version) {
    const auto now = services.clock.now();
    const Uuid id = Uuid::v7(now);
    execute(
        services,
        "INSERT INTO term_policies (id, type, version, status, content_hashes, published_at, created_at, updated_at) "
        "VALUES ($1, $2, $3, 'published', $4, $5, $5, $5)",
        storage::bind_all(id, type, version, "{\"en\":\"" + std::string(64, '0') + "\"}", now));
    execute(services,
            "INSERT INTO term_policy_contents (term_policy_id, language, size, digest) VALUES ($1, 'en', 1, $2)",
            storage::bind_all(id, Bytes(32)));
    return id;
}

std::string accept_request(const TokenPair& who, std::string_view type) {
    return post_request("/api/v1/shared/user/term-policy/accept", fmt::format(R"({{"type":"{}"}})", type),
                        who.access_token);
}

struct Consented {
    explicit Consented(const Stage& stage) {
        const SystemClock clock;
        Services services(config_of(stage.settings()), clock);
        const auto version = std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count() %
                             100'000'000;  // later than that of an earlier measurement
        for (const std::string_view type : types) policy = publish(services, type, version);
    }
    Uuid policy;
};

void compare(const std::string& goal, const Side& guarded, const Side& other, double floor, Report& report) {
    const Spread per_second = ratio(guarded.per_second, other.per_second);
    report.add({.goal = goal,
                .floor = fmt::format("{:.2f} x {}", floor, other.name),
                .measured = fmt::format("{}; {} {}", guarded.figures(), other.name, other.figures()),
                .ratio = fmt::format("{}; per cpu-s {}", text(per_second, 2),
                                     text(ratio(guarded.per_cpu_second, other.per_cpu_second), 2)),
                .judged = {at_least(per_second, floor, "x " + other.name + ", per second")}});
}

void measure_guard(const Stage& stage, const Server& service, Report& report) {
    const auto& readers = stage.people().readers;
    for (const TokenPair& reader : readers)
        for (const std::string_view type : types) once(service.port, accept_request(reader, type));
    const Server bare = stage.serve_bare();
    const auto side = [&](std::string name, const Server& server, std::string_view path) {
        return Side{.name = std::move(name), .server = &server, .requests = authenticated(path, readers)};
    };
    std::vector<Side> sides{side("unguarded", bare, "/api/v1/bench/profile"),
                            side("guarded", bare, "/api/v1/bench/profile/guarded"),
                            side("unguarded", service, "/api/v1/forward-auth"),
                            side("guarded", service, "/api/v1/forward-auth?policies=termsOfService,privacy"),
                            side("2fa/status", service, status_path),
                            side("profile", service, "/api/v1/shared/user/profile")};
    for (Side& one : sides) one.measure(stage.length().window / 4);
    for (Side& one : sides) one.forget();
    for (int round = 0; round < stage.length().rounds; ++round)
        for (Side& one : sides) one.measure(stage.length().window);
    compare("consent: GET profile with a policy guard, " + stage.engines(), sides[1], sides[0], guarded_floor, report);
    compare("consent: forward auth that requires two policies, " + stage.engines(), sides[3], sides[2], guarded_floor,
            report);
    compare("consent: guarded GET profile beside GET 2fa/status, " + stage.engines(), sides[5], sides[4], profile_floor,
            report);
}

// In turn, so that there is always something to accept.
class Turns {
public:
    // The accounts have accepted before.
    explicit Turns(const Stage& stage) {
        const auto& readers = stage.people().readers;
        if (readers.size() < connections) throw std::logic_error("consent: too few accounts");
        for (std::size_t i = 0; i < connections; ++i)
            all_.push_back({.withdraw = post_request("/api/v1/shared/user/term-policy/withdraw",
                                                     R"({"type":"marketing"})", readers[i].access_token),
                            .accept = accept_request(readers[i], "marketing")});
    }
    // Each connection begins a request per interval; zero: as soon as it has the former answer.
    Outcome measure(const Server& service, std::chrono::nanoseconds duration, std::chrono::nanoseconds interval = {}) {
        Outcome out = run({.port = service.port,
                           .connections = connections,
                           .duration = duration,
                           .interval = interval,
                           .next = [&](std::size_t connection) -> std::string_view {
                               Turn& turn = all_[connection];
                               turn.accepted = !turn.accepted;
                               return turn.accepted ? turn.accept : turn.withdraw;
                           }});
        out.all_well();
        return out;
    }

private:
    static constexpr std::size_t connections = 64;
    struct Turn {
        std::string withdraw;
        std::string accept;
        bool accepted = true;
    };
    std::vector<Turn> all_;
};

void measure_acceptances(const Stage& stage, const Server& service, Report& report) {
    Turns turns(stage);
    std::vector<double> per_second;
    std::vector<double> p99;
    for (int round = 0; round <= stage.length().rounds; ++round) {
        const Outcome outcome = turns.measure(service, stage.length().window);
        if (round == 0) continue;
        per_second.push_back(outcome.per_second());
        p99.push_back(outcome.latencies(200).milliseconds(0.99));
    }
    std::vector<Judged> judged;
    if (stage.servers() == nullptr) judged.push_back(at_least(spread(per_second), accept_floor, "per second"));
    report.add({.goal = "consent: alternately accepting and withdrawing, " + stage.engines(),
                .floor = stage.servers() == nullptr ? "2,000/s" : "",
                .measured = fmt::format("{}/s, p99 {:.1f} ms", count(spread(per_second).median), spread(p99).median),
                .judged = std::move(judged)});
}

// Of one account, which is worse than of many.
void fill_history(const Stage& stage, UserId user, const Uuid& policy, std::int64_t rows) {
    const SystemClock clock;
    const Environment patient{{"DATABASE_TIMEOUT", "10s"}};
    Services services(config_of(stage.settings(stage.servers() != nullptr ? patient : Environment{})), clock);
    const std::string sql = fmt::format(
        "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, version, language, "
        "content_hashes, accepted_at) WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) "
        "SELECT CAST('01890000-0000-7000-8000-' || substr('000000000000' || i, length('000000000000' || i) - 11) AS "
        "{}), $3, 'cookies', 10 + i, CASE WHEN i % 2 = 0 THEN 'accepted' ELSE 'withdrawn' END, $4, 1, 'en', $5, "
        "1000 + i FROM n",
        stage.servers() != nullptr ? "UUID" : "TEXT");
    const std::string hashes = "{\"en\":\"" + std::string(64, '0') + "\"}";
    for (std::int64_t first = 1; first <= rows; first += rows_at_once)
        execute(
            services, sql,
            storage::bind_all(first, std::min(first + rows_at_once - 1, rows), user, policy, std::string_view(hashes)));
}

void measure_history(const Stage& stage, const Uuid& policy, Report& report) {
    const auto rows = static_cast<std::int64_t>(stage.length().large.users);
    const auto& reader = stage.people().readers.front();
    constexpr std::string_view path = "/api/v1/shared/user/term-policy/list/accepted";
    std::string cursor;
    {
        const Server service = stage.serve();
        const std::string id(
            member(once(service.port, get_request("/api/v1/shared/user/profile", reader.access_token)), "id"));
        fill_history(stage, UserId::parse(id).value(), policy, rows);
    }
    if (const Servers* servers = stage.servers()) servers->connect("app").run("VACUUM (ANALYZE)");
    const Server service = stage.serve();
    for (const int size : {20, 100}) {
        std::vector<double> times;
        std::string query = fmt::format("?perPage={}", size);
        for (int page = 0; page < 60; ++page) {
            const std::string request = get_request(std::string(path) + query, reader.access_token);
            std::string body;
            bool sent = false;
            const Outcome outcome =
                run({.port = service.port,
                     .connections = 1,
                     .duration = std::chrono::minutes{1},
                     .next = [&](std::size_t) -> std::string_view {
                         return std::exchange(sent, true) ? std::string_view() : std::string_view(request);
                     },
                     .answered = [&](std::size_t, const Answer& answer) { body = answer.body; }});
            times.push_back(outcome.all_well().latencies(200).milliseconds(0.5));
            query = fmt::format("?perPage={}&cursor={}", size, member(body, "nextCursor"));
        }
        const Spread milliseconds = spread(times);
        report.add({.goal = fmt::format("consent: a page of {} from one account's {} acceptances, {}", size,
                                        count(static_cast<double>(rows)), stage.engines()),
                    .floor = "5 ms",
                    .measured =
                        fmt::format("median {:.2f} ms, slowest of 60 {:.2f} ms", milliseconds.median, milliseconds.max),
                    .judged = {at_most(milliseconds, page_floor_ms, "ms")}});
    }
}

// Of the account whose history measure_history() has filled.
void measure_withdrawals(const Stage& stage, Report& report) {
    const std::string& token = stage.people().readers.front().access_token;
    const std::string withdraw =
        post_request("/api/v1/shared/user/term-policy/withdraw", R"({"type":"cookies"})", token);
    const std::string accept = accept_request(stage.people().readers.front(), "cookies");
    const Server service = stage.serve();
    int sent = 0;
    constexpr int wanted = 120;
    const Outcome outcome = run({.port = service.port,
                                 .connections = 1,
                                 .duration = std::chrono::minutes{1},
                                 .next = [&](std::size_t) -> std::string_view {
                                     if (sent == wanted) return {};
                                     return ++sent % 2 == 1 ? withdraw : accept;
                                 }});
    const Latencies& latencies = outcome.all_well().latencies(200);
    report.add({.goal = fmt::format("consent: withdrawing and accepting again after {} acceptances, {}",
                                    count(static_cast<double>(stage.length().large.users)), stage.engines()),
                .floor = "5 ms",
                .measured = fmt::format("median {:.2f} ms, slowest of {} {:.2f} ms", latencies.milliseconds(0.5),
                                        wanted, latencies.milliseconds(1)),
                .judged = {at_most(only(latencies.milliseconds(0.5)), page_floor_ms, "ms, median")}});
}

}  // namespace

void measure_consent(const Stage& stage, Report& report) {
    const Consented consented(stage);
    {
        const Server service = stage.serve();
        measure_guard(stage, service, report);
        measure_acceptances(stage, service, report);
    }
    measure_history(stage, consented.policy, report);
    measure_withdrawals(stage, report);
}

// One instance works on the data at a time, so each round starts both kinds in turn.
void measure_logged_consent(const Stage& stage, Report& report) {
    constexpr double slower_max = 1.05;
    constexpr std::chrono::milliseconds interval{64};  // of each of the 64 connections: 1,000 requests per second
    const Consented consented(stage);
    const Environment with_log{{"CONSENT_LOG_PRIVATE_KEY", new_key(crypto::SignatureAlgorithm::eddsa)}};
    {
        const Server service = stage.serve();
        for (const TokenPair& reader : stage.people().readers) once(service.port, accept_request(reader, "marketing"));
    }
    Turns turns(stage);
    struct Kind {
        Environment settings;
        std::vector<double> per_second = {};
        std::vector<double> p99 = {};
        std::vector<double> calm_p99 = {};
    };
    std::array kinds{Kind{{{"CONSENT_LOG_ENABLE", "false"}}}, Kind{with_log}};
    for (int round = 0; round < stage.length().rounds * 2; ++round)
        for (Kind& kind : kinds) {
            const Server service = stage.serve(kind.settings);
            turns.measure(service, stage.length().window / 2);
            const Outcome outcome = turns.measure(service, stage.length().window);
            kind.per_second.push_back(outcome.per_second());
            kind.p99.push_back(outcome.latencies(200).milliseconds(0.99));
            // Several turns of the sequencer.
            const Outcome calm = turns.measure(service, 3 * stage.length().window, interval);
            kind.calm_p99.push_back(calm.latencies(200).milliseconds(0.99));
        }
    const auto& [without, with] = kinds;
    const Spread slower = ratio(with.calm_p99, without.calm_p99);
    report.add({.goal = "consent: p99 of 1,000 acceptances and withdrawals per second with the log, " + stage.engines(),
                .floor = "1.05 x without the log",
                .measured = fmt::format("{} ms, without {} ms", text(spread(with.calm_p99), 2),
                                        text(spread(without.calm_p99), 2)),
                .ratio = text(slower, 2),
                .judged = {at_most(slower, slower_max, "x without the log, p99")}});
    report.add({.goal = "consent: as many as possible with the log, " + stage.engines(),
                .floor = "2,000/s",
                .measured = fmt::format("{}/s, p99 {} ms; without {}/s, p99 {} ms",
                                        count(spread(with.per_second).median), text(spread(with.p99), 1),
                                        count(spread(without.per_second).median), text(spread(without.p99), 1)),
                .ratio = text(ratio(with.per_second, without.per_second), 2),
                .judged = {at_least(spread(with.per_second), accept_floor, "per second")}});
}

}  // namespace consentry::bench
