// Publishing a term policy where there are very many users: nothing of it may grow with their number.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "app/services.hpp"
#include "finished.hpp"
#include "goals.hpp"

namespace consentry::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double decision_floor_ms = 50;
constexpr int publications = 40;

double milliseconds_since(SteadyClock::time_point begin) {
    return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

// The service's database, and how long its last transaction took.
class TimedDatabase final : public storage::Database {
public:
    explicit TimedDatabase(storage::Database& real) : real_(real) {}
    storage::awaitable<void> ping() override { return real_.ping(); }
    void migrate(const std::vector<storage::Migration>& migrations) override { real_.migrate(migrations); }
    bool upgrade_is_due(const std::vector<storage::Migration>& migrations) override {
        return real_.upgrade_is_due(migrations);
    }

    double last_ms = 0;

protected:
    storage::awaitable<storage::Outcome> apply(storage::Transaction transaction) override {
        const auto begin = SteadyClock::now();
        auto outcome = co_await real_.commit(std::move(transaction));
        last_ms = milliseconds_since(begin);
        co_return outcome;
    }
    storage::awaitable<storage::Rows> read(std::string_view sql, storage::Params params) override {
        return real_.query_with(sql, std::move(params));
    }
    storage::awaitable<storage::Rows> search(std::string_view sql, storage::Params params) override {
        return real_.search_with(sql, std::move(params));
    }
    storage::awaitable<storage::Rows> write(storage::Statement statement) override {
        storage::Transaction alone;
        alone.add(std::move(statement));
        auto outcome = co_await real_.commit(std::move(alone));
        co_return std::move(outcome.results.at(0));
    }

private:
    storage::Database& real_;
};

void add_users(Services& services, bool on_servers, std::int64_t users) {
    const std::string sql = fmt::format(
        "INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at) WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE "
        "i < $2) SELECT CAST('01890000-0000-7000-8000-' || substr('000000000000' || i, length('000000000000' || i) - "
        "11) AS {0}), 'person' || i || '@example.org', 'user-' || i, 'user', "
        "CAST('00000000-0000-7000-8000-000000000001' AS {0}), 'active', TRUE, i, 'website', 'credential', i, i FROM n",
        on_servers ? "UUID" : "TEXT");
    for (std::int64_t first = 1; first <= users; first += rows_at_once)
        finished(services.database.execute(sql, first, std::min(first + rows_at_once - 1, users)));
}

TermPolicyId make_draft(TermPolicies& policies, std::int64_t version) {
    NewTermPolicy wanted{.type = PolicyType::privacy, .version = version, .contents = {}};
    for (const Language language : {Language::en, Language::de, Language::ja}) {
        auto file = finished(policies.upload(wanted.type, version, language, std::string(20'000, 'x')));
        wanted.contents.push_back(std::move(file).value());
    }
    return finished(policies.create(Actor::operator_at_the_machine(), std::move(wanted), {})).value().id;
}

}  // namespace

void measure_publications(const Stage& stage, Report& report) {
    const auto users = static_cast<std::int64_t>(stage.length().large.users);
    Environment settings{{"DATABASE_TIMEOUT", "10s"}};
    if (const Servers* servers = stage.servers()) {
        servers->create_database("policies");
        settings["DATABASE_URL"] = servers->database_url("policies");
        settings["CACHE_URL"] = servers->cache_url(3);
    } else {
        settings["DATA_DIR"] = (std::filesystem::path(stage.settings().at("DATA_DIR")) / "policies").string();
    }
    const SystemClock clock;
    Services services(config_of(stage.settings(settings)), clock);
    add_users(services, stage.servers() != nullptr, users);
    if (const Servers* servers = stage.servers()) servers->connect("policies").run("VACUUM (ANALYZE)");

    TimedDatabase database(services.database);
    TermPolicies policies(database, services.object_store, clock, services.mails, services.audit, {});
    std::vector<double> decisions;
    std::vector<double> whole;
    for (int version = 1; version <= publications; ++version) {
        const TermPolicyId id = make_draft(policies, version);
        const auto begin = SteadyClock::now();
        if (!finished(policies.publish(Actor::operator_at_the_machine(), id, {})))
            throw std::runtime_error("policies: publishing failed");
        whole.push_back(milliseconds_since(begin));
        decisions.push_back(database.last_ms);
    }
    const auto begin = SteadyClock::now();
    const auto impact = finished(policies.impact(make_draft(policies, publications + 1))).value();
    const double counting = milliseconds_since(begin);
    const auto worst = [](const std::vector<double>& values) { return *std::ranges::max_element(values); };
    const std::string people = count(static_cast<double>(impact.active_users));
    report.add(
        {.goal = fmt::format("policies: publication transaction, {} users, {}", people, stage.engines()),
         .floor = "50 ms",
         .measured = fmt::format("{} ms, slowest {:.1f} ms; whole request {} ms, slowest {:.1f} ms",
                                 text(spread(decisions), 1), worst(decisions), text(spread(whole), 1), worst(whole)),
         .judged = {at_most(only(worst(decisions)), decision_floor_ms, "ms, slowest")}});
    report.note(fmt::format("policies, {}: preview of the affected users, {} users: {:.1f} s", stage.engines(), people,
                            counting / 1'000));
}

}  // namespace consentry::bench
