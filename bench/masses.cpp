#include "masses.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include <fmt/format.h>

namespace consentry::bench {
namespace {

// Several at once; what a portion takes to log fits well into what the server lets gather before a checkpoint.
constexpr std::size_t seeded_at_once = 100'000;
constexpr std::size_t writers = 2;
constexpr std::size_t filler_value_bytes = 33;

// The nth identifier of a kind as SQL: of version 7 (RFC 9562), a millisecond after the one before it.
std::string uuid(std::string_view kind, std::string_view n) {
    const std::string digits = fmt::format("md5('{}' || ({}))", kind, n);
    return fmt::format(
        "CAST(lpad(to_hex(1700000000000 + ({0})), 12, '0') || '7' || substr({1}, 1, 3) || 'a' || substr({1}, 4, 15) "
        "AS UUID)",
        n, digits);
}

std::string user_of_session(const Masses& masses) { return fmt::format("(n % {})", masses.users); }
constexpr std::string_view jti_of_session = "md5('jti' || n)";
// Parameters: the first and the last n, and the time.
constexpr std::string_view all_n = "generate_series($1, $2) AS n";
constexpr std::string_view now = "$3";
constexpr std::string_view in_a_month = "$3 + 2592000000";

std::string users_sql() {
    return fmt::format(
        "INSERT INTO users (id, email, username, role, role_id, status, is_verified, password_hash, "
        "password_created_at, "
        "sign_up_at, sign_up_from, sign_up_with, created_at, updated_at) "
        "SELECT {}, 'person' || n || '@example.org', 'person-' || n, 'user', '00000000-0000-7000-8000-000000000001', "
        "'active', TRUE, repeat('x', 97), {now}, "
        "{now}, 'website', 'credential', {now}, {now} FROM {all_n}",
        uuid("user", "n"), fmt::arg("now", now), fmt::arg("all_n", all_n));
}

std::string factors_sql() {
    return fmt::format(
        "INSERT INTO two_factors (user_id, enabled, required_setup, iv, secret, confirmed_at, last_used_at, "
        "created_at, updated_at) "
        "SELECT {}, TRUE, FALSE, decode(repeat('00', 12), 'hex'), decode(repeat('00', 36), 'hex'), {now}, {now}, "
        "{now}, "
        "{now} FROM {all_n}",
        uuid("user", "n"), fmt::arg("now", now), fmt::arg("all_n", all_n));
}

std::string sessions_sql(const Masses& masses) {
    return fmt::format(
        "INSERT INTO sessions (id, user_id, jti, access_digest, refresh_digest, login_from, login_with, login_at, "
        "ip_address, user_agent, created_at, updated_at, issued_at, last_active_at, expires_at) "
        "SELECT {}, {}, {}, sha256(int8send(n)), sha256(int8send(-n)), 'website', 'credential', {now}, '192.0.2.1', "
        "'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', {now}, {now}, {now}, {now}, {} "
        "FROM {all_n}",
        uuid("session", "n"), uuid("user", user_of_session(masses)), jti_of_session, in_a_month, fmt::arg("now", now),
        fmt::arg("all_n", all_n));
}

// For all n from 0 to count - 1.
void in_portions(const Servers& servers, const std::string& database, const std::string& sql, std::size_t count) {
    std::vector<std::exception_ptr> failures(writers);
    {
        std::vector<std::jthread> running;
        running.reserve(writers);
        for (std::size_t mine = 0; mine < writers; ++mine)
            running.emplace_back([&, mine] {
                try {
                    auto connection = servers.connect(database);
                    // Not what is measured here: each commit waiting for the disk, and the look at the account for each
                    // session (a foreign key), which holds as the rows are made.
                    connection.run("SET synchronous_commit = off");
                    connection.run("SET session_replication_role = replica");
                    for (std::size_t first = mine * seeded_at_once; first < count; first += writers * seeded_at_once) {
                        const std::size_t last = std::min(count, first + seeded_at_once) - 1;
                        connection.run(sql, storage::bind_all(static_cast<std::int64_t>(first),
                                                              static_cast<std::int64_t>(last), SystemClock().now()));
                    }
                } catch (...) {
                    failures[mine] = std::current_exception();
                }
            });
    }
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

void fill_database(const Servers& servers, const std::string& database, const Masses& masses) {
    in_portions(servers, database, users_sql(), masses.users);
    in_portions(servers, database, factors_sql(), masses.users);
    in_portions(servers, database, sessions_sql(masses), masses.sessions);
    auto connection = servers.connect(database);
    connection.run("VACUUM (ANALYZE)");
    connection.run("CHECKPOINT");
}

std::vector<TokenPair> sign_tokens(const Servers& servers, const std::string& database, const Masses& masses,
                                   const Tokens& tokens, std::size_t count) {
    auto connection = servers.connect(database);
    connection.run("SELECT 1 FROM setseed(0.42)");
    // One at random of each portion of the sessions, so that none comes twice.
    const std::string pick = fmt::format(
        "SELECT {}, {}, {} FROM (SELECT CAST(floor((i + random()) * {} / {}) AS BIGINT) AS n "
        "FROM generate_series($1, $2) AS i) AS picked ORDER BY random()",
        uuid("session", "n"), uuid("user", user_of_session(masses)), jti_of_session, masses.sessions, count);
    const auto rows = connection.run(pick, storage::bind_all(std::int64_t{0}, static_cast<std::int64_t>(count) - 1));
    const TimePoint time = SystemClock().now();
    std::vector<TokenPair> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        TokenClaims claims;
        claims.session = rows[i].id<SessionId>(0);
        claims.user = rows[i].id<UserId>(1);
        claims.jti = rows[i].text(2);
        claims.issued_at = epoch_seconds(time);
        claims.login_at = time;
        out.push_back(tokens.issue(claims, time, time + std::chrono::days{30}));
    }
    return out;
}

}  // namespace

MassDatabase::MassDatabase(const Stage& stage, std::string name, int cache, const Masses& masses, std::size_t tokens)
    : name_(std::move(name)), masses_(masses) {
    const Servers& servers = *stage.servers();
    servers.create_database(name_);
    // P-521 signatures would take most of the time, and do not depend on the number of accounts.
    settings_ = Environment{{"DATABASE_URL", servers.database_url(name_)},
                            {"CACHE_URL", servers.cache_url(cache)},
                            {"AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "ES256"},
                            {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", new_key(crypto::SignatureAlgorithm::es256)}};
    const SystemClock clock;
    const Services services(config_of(stage.settings(settings_)), clock);  // makes the schema
    const auto begin = std::chrono::steady_clock::now();
    fill_database(servers, name_, masses);
    fill_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    tokens_ = sign_tokens(servers, name_, masses, services.tokens, tokens);
    // The copies of those sessions whose tokens are not used.
    servers.fill_cache(cache, masses.sessions - tokens, filler_value_bytes);
}

}  // namespace consentry::bench
