// Lists of accounts: what a page costs with very many of them.
#include <algorithm>
#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include "finished.hpp"
#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

constexpr double floor_ms = 5;

// Every thousandth account is inactive, every third has no name; names and addresses in no order.
std::string accounts_sql(const Stage& stage) {
    const std::string_view uuid = stage.servers() != nullptr ? "UUID" : "TEXT";
    return fmt::format(
        "INSERT INTO users (id, email, username, name, role, role_id, status, is_verified, password_hash, sign_up_at, "
        "sign_up_from, sign_up_with, created_at, updated_at) WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 "
        "FROM n WHERE i < $2) SELECT CAST('01890000-0000-7000-8000-' || substr('000000000000' || i, "
        "length('000000000000' || i) - 11) AS {0}), 'person' || (i * 7919 % 1000003) || '@example.org', 'user-' || (i "
        "* 104729 % 1000003), CASE WHEN i % 3 = 0 THEN NULL ELSE 'Name ' || (i * 31 % 99991) END, 'user', "
        "CAST('00000000-0000-7000-8000-000000000001' AS {0}), CASE WHEN i % 1000 = 0 THEN 'inactive' ELSE 'active' "
        "END, TRUE, $3, i * 1000, 'website', 'credential', i * 1000, i * 1000 FROM n",
        uuid);
}

struct Cost {
    double p50 = 0;
    double p99 = 0;
    double cpu = 0;  // of the service
};

class ManyAccounts {
public:
    ManyAccounts(const Stage& stage, std::size_t users) {
        const Environment base = stage.settings();
        if (const Servers* servers = stage.servers()) {
            servers->create_database("lists");
            settings_ = {{"DATABASE_URL", servers->database_url("lists")}, {"CACHE_URL", servers->cache_url(3)}};
        } else {
            settings_ = {{"DATA_DIR", (std::filesystem::path(base.at("DATA_DIR")) / "lists").string()}};
        }
        {
            const SystemClock clock;
            Environment patient = settings_;
            patient["DATABASE_TIMEOUT"] = "10s";
            Services services(config_of(stage.settings(patient)), clock);
            const std::string sql = accounts_sql(stage);
            for (std::int64_t first = 1; first <= static_cast<std::int64_t>(users); first += rows_at_once)
                finished(services.database.execute(sql, first,
                                                   std::min(first + rows_at_once - 1, static_cast<std::int64_t>(users)),
                                                   std::string(97, 'x')));
            User admin;
            admin.email = admin_email;
            admin.role_id = built_in_role(Role::admin);
            admin.is_verified = true;
            if (!finished(services.passwords.create(std::move(admin), password)))
                throw std::runtime_error("the administrator has no account");
        }
        if (const Servers* servers = stage.servers()) servers->connect("lists").run("VACUUM (ANALYZE)");
        service_ = stage.serve(settings_);
        token_ = member(once(service_.port, login_request(admin_email)), "accessToken");
    }

    Cost of(const std::string& query, std::size_t requests) const {
        const std::string request = get_request("/api/v1/admin/user/list?" + query, token_);
        std::size_t asked = 0;
        const double before = service_.child->cpu_seconds();
        const Outcome outcome = run({.port = service_.port,
                                     .connections = 1,
                                     .duration = std::chrono::minutes{2},
                                     .next = [&](std::size_t) -> std::string_view {
                                         return asked++ == requests ? std::string_view() : std::string_view(request);
                                     }});
        outcome.all_well();
        return {.p50 = outcome.latencies(200).milliseconds(0.5),
                .p99 = outcome.latencies(200).milliseconds(0.99),
                .cpu = (service_.child->cpu_seconds() - before) * 1'000 / static_cast<double>(requests)};
    }

private:
    static constexpr const char* admin_email = "lists@example.org";
    Environment settings_;
    Server service_;
    std::string token_;
};

}  // namespace

void measure_lists(const Stage& stage, Report& report) {
    const std::size_t users = stage.length().large.users;
    const ManyAccounts accounts(stage, users);
    constexpr std::size_t requests = 60;
    Cost worst;
    std::string worst_query;
    for (const char* field : {"createdAt", "email", "username", "name"})
        for (const char* direction : {"asc", "desc"})
            for (const int page : {1, 20})
                for (const int size : {20, 100}) {
                    const std::string query =
                        fmt::format("orderBy={}:{}&page={}&perPage={}", field, direction, page, size);
                    accounts.of(query, 3);  // what others have asked for is in memory
                    const Cost cost = accounts.of(query, requests);
                    if (cost.p50 > worst.p50) worst_query = query;
                    worst = {std::max(worst.p50, cost.p50), std::max(worst.p99, cost.p99),
                             std::max(worst.cpu, cost.cpu)};
                }
    report.add({.goal = fmt::format("lists: any page of {} accounts in any order, {}",
                                    count(static_cast<double>(users)), stage.engines()),
                .floor = "5 ms",
                .measured = fmt::format("slowest median {:.2f} ms ({}), slowest p99 {:.2f} ms, at most {:.2f} cpu-ms",
                                        worst.p50, worst_query, worst.p99, worst.cpu),
                .judged = {at_most(only(worst.p50), floor_ms, "ms, slowest median")}});
    for (const char* query : {"status=inactive", "status=active", "status=inactive&orderBy=email:asc&page=20",
                              "role=00000000-0000-7000-8000-000000000001&orderBy=email:asc",
                              "role=00000000-0000-7000-8000-000000000002", "search=person1", "search=nobody-at-all"}) {
        try {
            const Cost cost = accounts.of(query, 5);
            report.note(fmt::format("lists, {}: {} takes {:.1f} ms, {:.1f} cpu-ms", stage.engines(), query, cost.p50,
                                    cost.cpu));
        } catch (const std::exception& error) {
            report.note(fmt::format("lists, {}: {}: {:.100}", stage.engines(), query, error.what()));
        }
    }
}

}  // namespace consentry::bench
