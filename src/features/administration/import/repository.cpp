#include "features/administration/import/repository.hpp"

#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "features/users/stored.hpp"
#include "storage/portions.hpp"
#include "storage/sql.hpp"

namespace consentry {
namespace {

using storage::Expect;
using storage::parameters;
using storage::Text;

constexpr std::size_t staged_columns = 14;
// The storage port takes at most 999 parameters. More rows per statement save nothing measurable.
constexpr std::size_t rows_per_statement = 64;
constexpr std::int64_t rows_per_deletion = 5'000;

std::string stage_sql(std::size_t rows) {
    std::string out =
        "INSERT INTO import_rows (import_id, row_number, user_id, email, username, name, role_id, status, is_verified, "
        "language, password_hash, google_subject, apple_subject, created_at) VALUES ";
    for (std::size_t i = 0; i < rows; ++i)
        out += fmt::format("{}({})", i == 0 ? "" : ", ", parameters(1 + i * staged_columns, staged_columns));
    return out;
}

storage::Params stage_params(ImportId import, std::span<const StagedUser> users) {
    storage::Params out;
    out.reserve(users.size() * staged_columns);
    const auto add = [&](const auto&... values) { (out.push_back(storage::bind(values)), ...); };
    for (const StagedUser& user : users)
        add(import, user.row, user.id, user.email, user.username, user.name, user.role_id, name_of(user.status),
            user.is_verified, name_of(user.language), user.password_hash, user.google_subject, user.apple_subject,
            user.created_at);
    return out;
}

awaitable<std::vector<std::string>> select_texts(storage::Database& database, std::string_view sql,
                                                 storage::Params params) {
    const auto rows = co_await database.query_with(sql, std::move(params));
    std::vector<std::string> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].text(0));
    co_return out;
}

// Repeats the last value up to a fixed number of parameters, so that one prepared statement serves any number of
// values.
constexpr std::size_t values_per_statement = ImportRepository::portion;

template <class... First>
storage::Params padded(std::vector<std::string> values, const First&... first) {
    if (values.empty() || values.size() > values_per_statement)
        throw std::logic_error("import: too many values at once");
    values.resize(values_per_statement, values.back());
    storage::Params out = storage::bind_all(first...);
    out.reserve(out.size() + values.size());
    for (std::string& value : values) out.emplace_back(std::move(value));
    return out;
}

constexpr Text imported_users_sql = R"(
    INSERT INTO users (id, email, username, name, role_id, role, status, is_verified, verified_at, password_hash,
        password_created_at, password_expires_at, sign_up_at, sign_up_from, sign_up_with, created_at, updated_at,
        language)
    SELECT i.user_id, i.email, i.username, i.name, i.role_id,
        (SELECT type FROM roles WHERE id = i.role_id), i.status, i.is_verified,
        CASE WHEN i.is_verified THEN CAST($2 AS BIGINT) END, i.password_hash,
        CASE WHEN i.password_hash IS NOT NULL THEN CAST($2 AS BIGINT) END,
        CASE WHEN i.password_hash IS NOT NULL THEN CAST($3 AS BIGINT) END,
        i.created_at, CAST($4 AS TEXT), 'credential', i.created_at, CAST($2 AS BIGINT), i.language
    FROM import_rows i WHERE i.import_id = $1)";

// A statement over the staged rows in two variants: for all of them, and for those that became accounts. If all of them
// did, the first variant avoids looking each one up while other writers wait.
struct OverStaged {
    std::string_view all;
    std::string_view made;
};
template <Text select, Text where>
constexpr OverStaged over_staged{
    .all = storage::sql<select, " FROM import_rows i ", where>,
    .made = storage::sql<select, " FROM import_rows i JOIN users u ON u.id = i.user_id ", where>};

// An imported password is the account's first, so the entry can reuse the account's id. SQL shared by both engines
// cannot generate ids.
constexpr OverStaged imported_history = over_staged<
    "INSERT INTO password_history (id, user_id, password_hash, type, created_at, expires_at) "
    "SELECT i.user_id, i.user_id, i.password_hash, 'admin', CAST($2 AS BIGINT), CAST($3 AS BIGINT)",
    "WHERE i.import_id = $1 AND i.password_hash IS NOT NULL">;
constexpr OverStaged imported_from_google = over_staged<
    "INSERT INTO identities (provider, subject, user_id, email, created_at, security_version) SELECT 'google', "
    "i.google_subject, i.user_id, i.email, CAST($2 AS BIGINT), 1",
    "WHERE i.import_id = $1 AND i.google_subject IS NOT NULL">;
constexpr OverStaged imported_from_apple = over_staged<
    "INSERT INTO identities (provider, subject, user_id, email, created_at, security_version) SELECT 'apple', "
    "i.apple_subject, i.user_id, i.email, CAST($2 AS BIGINT), 1",
    "WHERE i.import_id = $1 AND i.apple_subject IS NOT NULL">;

}  // namespace

awaitable<std::vector<std::string>> ImportRepository::taken_emails(std::vector<std::string> values) {
    static const std::string sql =
        fmt::format("SELECT email FROM users WHERE email IN ({})", parameters(1, values_per_statement));
    return select_texts(database_, sql, padded(std::move(values)));
}

awaitable<std::vector<std::string>> ImportRepository::taken_usernames(std::vector<std::string> values) {
    static const std::string sql =
        fmt::format("SELECT username FROM users WHERE username IN ({})", parameters(1, values_per_statement));
    return select_texts(database_, sql, padded(std::move(values)));
}

awaitable<std::vector<std::string>> ImportRepository::taken_subjects(std::string_view provider,
                                                                     std::vector<std::string> values) {
    static const std::string sql = fmt::format("SELECT subject FROM identities WHERE provider = $1 AND subject IN ({})",
                                               parameters(2, values_per_statement));
    return select_texts(database_, sql, padded(std::move(values), provider));
}

awaitable<void> ImportRepository::stage(ImportId import, std::vector<StagedUser> all) {
    static const std::string full = stage_sql(rows_per_statement);
    static const std::string single = stage_sql(1);
    storage::Transaction transaction;
    std::span<const StagedUser> users = all;
    while (!users.empty()) {
        const std::size_t count = users.size() < rows_per_statement ? 1 : rows_per_statement;
        transaction.add({Expect::any, count == 1 ? single : full, stage_params(import, users.first(count))});
        users = users.subspan(count);
    }
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) throw std::logic_error("import: a row was staged twice");
}

void ImportRepository::add_roles_exist(PrivilegedTransaction& transaction, ImportId import) {
    transaction.add(Expect::none,
                    "UPDATE import_rows SET row_number = row_number WHERE import_id = $1 "
                    "AND NOT EXISTS (SELECT 1 FROM roles r WHERE r.id = role_id)",
                    import);
}

void ImportRepository::add_finish(PrivilegedTransaction& transaction, ImportId import, ImportedAlike alike,
                                  ImportContent content, bool skip_existing) {
    // Only a conflict of addresses is skipped: a taken username or identity stops the import.
    transaction.add(Expect::any,
                    skip_existing ? storage::sql<imported_users_sql, " ON CONFLICT (email) DO NOTHING">
                                  : storage::sql<imported_users_sql>,
                    import, alike.now, alike.password_expires_at, name_of(alike.sign_up_from));
    const auto text_of = [&](const OverStaged& statement) { return skip_existing ? statement.made : statement.all; };
    if (content.hashes)
        transaction.add(Expect::any, text_of(imported_history), import, alike.now, alike.history_expires_at);
    if (content.google_subjects) transaction.add(Expect::any, text_of(imported_from_google), import, alike.now);
    if (content.apple_subjects) transaction.add(Expect::any, text_of(imported_from_apple), import, alike.now);
}

awaitable<std::vector<std::string>> ImportRepository::staged_and_taken(ImportId import, std::int64_t limit) {
    return select_texts(database_,
                        "SELECT i.email FROM import_rows i JOIN users u ON u.email = i.email WHERE i.import_id = $1 "
                        "ORDER BY i.row_number LIMIT $2",
                        storage::bind_all(import, limit));
}

awaitable<std::vector<std::int64_t>> ImportRepository::staged_without_role(ImportId import, std::int64_t limit) {
    const auto rows = co_await database_.query(
        "SELECT i.row_number FROM import_rows i WHERE i.import_id = $1 AND NOT EXISTS (SELECT 1 FROM roles r WHERE "
        "r.id = i.role_id) ORDER BY i.row_number LIMIT $2",
        import, limit);
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].integer(0));
    co_return out;
}

awaitable<void> ImportRepository::erase(ImportId import) {
    // By the primary key, so that the rows of a portion are adjacent.
    return storage::execute_in_portions<rows_per_deletion>(
        database_,
        "DELETE FROM import_rows WHERE import_id = $1 AND row_number IN "
        "(SELECT row_number FROM import_rows WHERE import_id = $1 ORDER BY row_number LIMIT $2)",
        import);
}

awaitable<void> ImportRepository::erase_begun_before(TimePoint before) {
    // The id of an import contains its start time (UUID version 7).
    for (;;) {
        const auto rows = co_await database_.query(
            "SELECT import_id FROM import_rows WHERE import_id < $1 ORDER BY import_id LIMIT 1",
            ImportId::make(before));
        if (rows.empty()) co_return;
        co_await erase(rows[0].id<ImportId>(0));
    }
}

}  // namespace consentry
