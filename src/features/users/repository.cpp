#include "features/users/repository.hpp"

#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::Expect;

#define CONSENTRY_USER_COLUMNS                                                                            \
    "u.id, u.email, u.username, u.name, u.role_id, r.type, u.status, u.is_verified, u.security_version, " \
    "u.password_hash, u.password_created_at, u.password_expires_at, u.password_attempt, "                 \
    "u.password_locked_until, u.created_at FROM users u JOIN roles r ON r.id = u.role_id"

User to_user(const storage::Row& row) {
    User user;
    user.id = row.id<UserId>(0);
    user.email = row.text(1);
    user.username = row.text(2);
    user.name = row.text_or_null(3);
    user.role_id = row.id<RoleId>(4);
    user.role = stored_enum<Role>(row.text(5));
    user.status = stored_enum<UserStatus>(row.text(6));
    user.is_verified = row.boolean(7);
    user.security_version = row.integer(8);
    user.password_hash = row.text_or_null(9);
    user.password_created_at = row.time_or_null(10);
    user.password_expires_at = row.time_or_null(11);
    user.password_attempt = row.integer(12);
    user.password_locked_until = row.time_or_null(13);
    user.created_at = row.time(14);
    return user;
}

}  // namespace

awaitable<std::optional<User>> UserRepository::find(UserId id) {
    const auto rows =
        co_await database_.look_up("SELECT " CONSENTRY_USER_COLUMNS " WHERE u.id = $1 AND u.deleted_at IS NULL", id);
    if (rows.empty()) co_return std::nullopt;
    co_return to_user(rows[0]);
}

awaitable<std::optional<User>> UserRepository::find_by_email(std::string email) {
    const auto rows = co_await database_.query(
        "SELECT " CONSENTRY_USER_COLUMNS " WHERE u.email = $1 AND u.deleted_at IS NULL", email);
    if (rows.empty()) co_return std::nullopt;
    co_return to_user(rows[0]);
}

awaitable<std::vector<User>> UserRepository::list(std::optional<UserId> after, std::int64_t limit) {
    // UUIDv7 grows with time: the order of ids is the order of creation.
    const auto rows = co_await database_.query("SELECT " CONSENTRY_USER_COLUMNS
                                               " WHERE u.deleted_at IS NULL AND u.id > $1 ORDER BY u.id LIMIT $2",
                                               after.value_or(UserId{}), limit);
    std::vector<User> users;
    for (std::size_t i = 0; i < rows.size(); ++i) users.push_back(to_user(rows[i]));
    co_return users;
}

void UserRepository::add_insert(storage::Transaction& transaction, const User& user, TimePoint now) {
    transaction.add(
        Expect::one,
        "INSERT INTO users (id, email, username, name, role_id, role, status, is_verified, verified_at, "
        "security_version, password_hash, password_created_at, password_expires_at, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, (SELECT type FROM roles WHERE id = $5), $6, $7, $8, $9, $10, $11, $12, $13, "
        "'system', 'credential', $13, $13)",
        user.id, user.email, user.username, user.name, user.role_id, http::name_of(user.status), user.is_verified,
        user.is_verified ? std::optional(now) : std::nullopt, user.security_version, user.password_hash,
        user.password_created_at, user.password_expires_at, now);
}

void UserRepository::add_security_change(storage::Transaction& transaction, UserId id, std::int64_t expected,
                                         TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET security_version = security_version + 1, updated_at = $3 "
                    "WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL",
                    id, expected, now);
}

}  // namespace consentry
