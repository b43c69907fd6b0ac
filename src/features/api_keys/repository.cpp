#include "features/api_keys/repository.hpp"

#include "features/users/generations.hpp"
#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::Expect;

// One of a former epoch is off, whatever its row says, until it gets another secret.
#define CONSENTRY_API_KEY_COLUMNS                                        \
    "id, key, name, type, (is_active AND " CONSENTRY_API_KEY_CURRENT_SQL \
    "), start_at, end_at, created_at, "                                  \
    "created_by, updated_at, updated_by"
constexpr std::size_t record_columns = 11;

ApiKeyRecord to_record(const storage::Row& row) {
    ApiKeyRecord out;
    out.id = row.id<ApiKeyId>(0);
    out.key = row.text(1);
    out.name = row.text(2);
    out.type = stored_enum<ApiKeyType>(row.text(3));
    out.is_active = row.boolean(4);
    // A beginning without an end throws: nobody made that, and a damaged record opens nothing.
    if (!row.is_null(5) || !row.is_null(6)) out.window = ApiKeyWindow{row.time_or_null(5), row.time(6)};
    out.created_at = row.time(7);
    out.created_by = row.id_or_null<UserId>(8);
    out.updated_at = row.time(9);
    out.updated_by = row.id_or_null<UserId>(10);
    return out;
}

std::optional<ApiKeyInUse> first_in_use(const storage::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return ApiKeyInUse{to_record(rows[0]), rows[0].bytes(record_columns)};
}

}  // namespace

awaitable<std::optional<ApiKeyInUse>> ApiKeyRepository::find(ApiKeyId id) {
    co_return first_in_use(
        co_await database_.look_up("SELECT " CONSENTRY_API_KEY_COLUMNS ", digest FROM api_keys WHERE id = $1", id));
}

awaitable<std::optional<ApiKeyInUse>> ApiKeyRepository::find_by_key(std::string key) {
    co_return first_in_use(
        co_await database_.query("SELECT " CONSENTRY_API_KEY_COLUMNS ", digest FROM api_keys WHERE key = $1", key));
}

awaitable<ListSlice<ApiKeyRecord>> ApiKeyRepository::list(ListQuery query) {
    return storage::select_list(database_, {.columns = CONSENTRY_API_KEY_COLUMNS, .from = "api_keys WHERE TRUE"},
                                std::move(query), to_record);
}

void ApiKeyRepository::add_insert(PrivilegedTransaction& transaction, const ApiKeyRecord& record,
                                  crypto::Sha256 digest) {
    const auto start = record.window ? record.window->start_at : std::nullopt;
    const auto end = record.window ? std::optional(record.window->end_at) : std::nullopt;
    transaction.add(
        Expect::one,
        "INSERT INTO api_keys (id, key, digest, name, type, is_active, start_at, end_at, created_at, created_by, "
        "updated_at, updated_by, epoch) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9, "
        "$10, " CONSENTRY_API_KEY_EPOCH_SQL ") RETURNING " CONSENTRY_API_KEY_COLUMNS,
        record.id, record.key, BytesView(digest), record.name, name_of(record.type), record.is_active, start, end,
        record.created_at, record.created_by);
}

void ApiKeyRepository::add_digest(PrivilegedTransaction& transaction, ApiKeyId id, crypto::Sha256 digest,
                                  std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE api_keys SET digest = $2, updated_at = $3, updated_by = $4, "
                    "epoch = " CONSENTRY_API_KEY_EPOCH_SQL
                    " WHERE id = $1 AND is_active "
                    "RETURNING " CONSENTRY_API_KEY_COLUMNS,
                    id, BytesView(digest), now, by);
}

void ApiKeyRepository::add_name(PrivilegedTransaction& transaction, ApiKeyId id, const std::string& name,
                                std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE api_keys SET name = $2, updated_at = $3, updated_by = $4 WHERE id = $1 AND is_active "
                    "AND " CONSENTRY_API_KEY_CURRENT_SQL " RETURNING " CONSENTRY_API_KEY_COLUMNS,
                    id, name, now, by);
}

void ApiKeyRepository::add_window(PrivilegedTransaction& transaction, ApiKeyId id, ApiKeyWindow window,
                                  std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE api_keys SET start_at = $2, end_at = $3, updated_at = $4, updated_by = $5 "
                    "WHERE id = $1 AND is_active AND " CONSENTRY_API_KEY_CURRENT_SQL
                    " RETURNING " CONSENTRY_API_KEY_COLUMNS,
                    id, window.start_at, window.end_at, now, by);
}

void ApiKeyRepository::add_status(PrivilegedTransaction& transaction, ApiKeyId id, bool is_active,
                                  std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE api_keys SET is_active = $2, updated_at = $3, updated_by = $4 "
                    "WHERE id = $1 AND (end_at IS NULL OR end_at >= $3) AND " CONSENTRY_API_KEY_CURRENT_SQL
                    " RETURNING " CONSENTRY_API_KEY_COLUMNS,
                    id, is_active, now, by);
}

void ApiKeyRepository::add_erase(PrivilegedTransaction& transaction, ApiKeyId id) {
    transaction.add(Expect::one, "DELETE FROM api_keys WHERE id = $1 RETURNING " CONSENTRY_API_KEY_COLUMNS, id);
}

void ApiKeyRepository::add_erase(PrivilegedTransaction& transaction, const std::string& key) {
    transaction.add(Expect::one, "DELETE FROM api_keys WHERE key = $1 RETURNING " CONSENTRY_API_KEY_COLUMNS, key);
}

ApiKeyRecord ApiKeyRepository::changed(const storage::Outcome& outcome) {
    return to_record(outcome.results.front()[0]);
}

}  // namespace consentry
