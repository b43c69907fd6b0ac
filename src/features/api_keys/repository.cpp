#include "features/api_keys/repository.hpp"

#include "features/users/generations.hpp"
#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::part;
using storage::sql;

// A start without an end throws: the program never writes one, and a damaged record must not permit anything.
constexpr auto window_columns =
    columns<ApiKeyWindow>(column<"start_at", &ApiKeyWindow::start_at>, column<"end_at", &ApiKeyWindow::end_at>);
// A key of an earlier epoch counts as disabled, whatever its row says, until it gets a new secret.
constexpr auto api_key_columns = columns<ApiKeyRecord>(
    column<"id", &ApiKeyRecord::id>, column<"key", &ApiKeyRecord::key>, column<"name", &ApiKeyRecord::name>,
    column<"type", &ApiKeyRecord::type>,
    column<"(is_active AND " + api_key_current_sql + ")", &ApiKeyRecord::is_active>,
    part<&ApiKeyRecord::window, window_columns>, column<"created_at", &ApiKeyRecord::created_at>,
    column<"created_by", &ApiKeyRecord::created_by>, column<"updated_at", &ApiKeyRecord::updated_at>,
    column<"updated_by", &ApiKeyRecord::updated_by>);
constexpr auto used_api_key_columns =
    columns<ApiKeyInUse>(part<&ApiKeyInUse::record, api_key_columns>, column<"digest", &ApiKeyInUse::digest>);

}  // namespace

awaitable<std::optional<ApiKeyInUse>> ApiKeyRepository::find(ApiKeyId id) {
    const auto rows =
        co_await database_.look_up(sql<"SELECT ", used_api_key_columns, " FROM api_keys WHERE id = $1">, id);
    co_return used_api_key_columns.read_first(rows);
}

awaitable<std::optional<ApiKeyInUse>> ApiKeyRepository::find_by_key(std::string key) {
    const auto rows =
        co_await database_.query(sql<"SELECT ", used_api_key_columns, " FROM api_keys WHERE key = $1">, key);
    co_return used_api_key_columns.read_first(rows);
}

awaitable<ListSlice<ApiKeyRecord>> ApiKeyRepository::list(ListQuery query) {
    return storage::select_list(database_, {.columns = api_key_columns.list(), .from = "api_keys WHERE TRUE"},
                                std::move(query), api_key_columns.read);
}

void ApiKeyRepository::add_insert(PrivilegedTransaction& transaction, const ApiKeyRecord& record,
                                  crypto::Sha256 digest) {
    const auto start = record.window ? record.window->start_at : std::nullopt;
    const auto end = record.window ? std::optional(record.window->end_at) : std::nullopt;
    transaction.add(
        Expect::one,
        sql<"INSERT INTO api_keys (id, key, digest, name, type, is_active, start_at, end_at, created_at, created_by, "
            "updated_at, updated_by, epoch) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9, $10, ",
            api_key_epoch_sql, ") RETURNING ", api_key_columns>,
        record.id, record.key, BytesView(digest), record.name, name_of(record.type), record.is_active, start, end,
        record.created_at, record.created_by);
}

void ApiKeyRepository::add_digest(PrivilegedTransaction& transaction, ApiKeyId id, crypto::Sha256 digest,
                                  std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE api_keys SET digest = $2, is_active = TRUE, updated_at = $3, updated_by = $4, epoch = ",
                        api_key_epoch_sql, " WHERE id = $1 AND (is_active OR NOT (", api_key_current_sql,
                        ")) RETURNING ", api_key_columns>,
                    id, BytesView(digest), now, by);
}

void ApiKeyRepository::add_name(PrivilegedTransaction& transaction, ApiKeyId id, const std::string& name,
                                std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE api_keys SET name = $2, updated_at = $3, updated_by = $4 WHERE id = $1 AND is_active "
                        "AND ",
                        api_key_current_sql, " RETURNING ", api_key_columns>,
                    id, name, now, by);
}

void ApiKeyRepository::add_window(PrivilegedTransaction& transaction, ApiKeyId id, ApiKeyWindow window,
                                  std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE api_keys SET start_at = $2, end_at = $3, updated_at = $4, updated_by = $5 "
                        "WHERE id = $1 AND (is_active OR end_at < $4) AND ",
                        api_key_current_sql, " RETURNING ", api_key_columns>,
                    id, window.start_at, window.end_at, now, by);
}

void ApiKeyRepository::add_status(PrivilegedTransaction& transaction, ApiKeyId id, bool is_active,
                                  std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE api_keys SET is_active = $2, updated_at = $3, updated_by = $4 "
                        "WHERE id = $1 AND (end_at IS NULL OR end_at >= $3) AND ",
                        api_key_current_sql, " RETURNING ", api_key_columns>,
                    id, is_active, now, by);
}

void ApiKeyRepository::add_erase(PrivilegedTransaction& transaction, ApiKeyId id) {
    transaction.add(Expect::one, sql<"DELETE FROM api_keys WHERE id = $1 RETURNING ", api_key_columns>, id);
}

void ApiKeyRepository::add_erase(PrivilegedTransaction& transaction, const std::string& key) {
    transaction.add(Expect::one, sql<"DELETE FROM api_keys WHERE key = $1 RETURNING ", api_key_columns>, key);
}

ApiKeyRecord ApiKeyRepository::changed(const storage::Outcome& outcome) {
    return api_key_columns.read(outcome.results.front()[0]);
}

}  // namespace consentry
