#include "features/users/repository.hpp"

#include "features/users/columns.hpp"
#include "features/users/generations.hpp"

namespace consentry {

using storage::Expect;
using storage::sql;

namespace {

constexpr storage::Text verify_sql =
    "UPDATE users SET is_verified = TRUE, verified_at = COALESCE(verified_at, $2), updated_at = $2 "
    "WHERE id = $1 AND deleted_at IS NULL";

}  // namespace

awaitable<std::optional<User>> UserRepository::find(UserId id) {
    const auto rows =
        co_await database_.look_up(sql<"SELECT ", user_columns, user_tables, " WHERE u.id = $1 AND ", exists_sql>, id);
    co_return user_columns.read_first(rows);
}

awaitable<std::optional<User>> UserRepository::find_by_email(std::string email) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", user_columns, user_tables, " WHERE u.email = $1 AND u.deleted_at IS NULL">, email);
    co_return user_columns.read_first(rows);
}

awaitable<std::vector<User>> UserRepository::list(std::optional<UserId> after, std::int64_t limit) {
    // UUIDv7 grows with time, so id order is creation order.
    const auto rows = co_await database_.query(
        sql<"SELECT ", user_columns, user_tables, " WHERE u.deleted_at IS NULL AND u.id > $1 ORDER BY u.id LIMIT $2">,
        after.value_or(UserId{}), limit);
    co_return user_columns.read_all(rows);
}

void UserRepository::add_insert(storage::Transaction& transaction, const User& user, TimePoint now) {
    transaction.add(
        Expect::one,
        "INSERT INTO users (id, email, username, name, role_id, role, status, is_verified, verified_at, "
        "security_version, password_hash, password_created_at, password_expires_at, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at, must_change_password, language) "
        "VALUES ($1, $2, $3, $4, $5, (SELECT type FROM roles WHERE id = $5), $6, $7, $8, $9, $10, $11, $12, $13, "
        "$14, $15, $13, $13, $16, $17)",
        user.id, user.email, user.username, user.name, user.role_id, name_of(user.status), user.is_verified,
        user.is_verified ? std::optional(now) : std::nullopt, user.security_version, user.password_hash,
        user.password_created_at, user.password_expires_at, now, name_of(user.sign_up_from), name_of(user.sign_up_with),
        user.must_change_password, name_of(user.language));
}

void UserRepository::add_lock(storage::Transaction& transaction, UserId id) {
    transaction.add(Expect::any, "UPDATE users SET updated_at = updated_at WHERE id = $1", id);
}

void UserRepository::add_same_generation(storage::Transaction& transaction, const User& seen) {
    transaction.add(Expect::one,
                    sql<"UPDATE users SET updated_at = updated_at WHERE id = $1 AND security_version = $2 AND $3 = ",
                        epoch_sql, " AND deleted_at IS NULL">,
                    seen.id, seen.security_version, seen.epoch);
}

void UserRepository::add_verified(storage::Transaction& transaction, UserId id, TimePoint now) {
    transaction.add(Expect::one, sql<verify_sql>, id, now);
}

void UserRepository::add_verified_first(storage::Transaction& transaction, UserId id, TimePoint now) {
    transaction.add(Expect::one, sql<verify_sql, " AND is_verified = FALSE">, id, now);
}

void UserRepository::add_erase_details(storage::Transaction& transaction, UserId id) {
    transaction.add(Expect::any, "UPDATE users SET name = NULL, gender = NULL WHERE id = $1", id);
}

void UserRepository::add_erase_identities(storage::Transaction& transaction, UserId id) {
    transaction.add(Expect::any, "DELETE FROM identities WHERE user_id = $1", id);
    transaction.add(Expect::any, "DELETE FROM unlinked_identities WHERE user_id = $1", id);
}

}  // namespace consentry
