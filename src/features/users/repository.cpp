#include "features/users/repository.hpp"

#include "features/users/generations.hpp"
#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::Expect;

#define CONSENTRY_USER_COLUMNS                                                                            \
    "u.id, u.email, u.username, u.name, u.role_id, r.type, u.status, u.is_verified, u.security_version, " \
    "u.password_hash, u.password_created_at, u.password_expires_at, u.password_attempt, "                 \
    "u.password_locked_until, u.created_at, u.must_change_password, u.language, u.sign_up_from, "         \
    "u.sign_up_with, " CONSENTRY_EPOCH_SQL
#define CONSENTRY_USER_TABLES " FROM users u JOIN roles r ON r.id = u.role_id"
constexpr std::size_t user_columns = 20;

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
    user.must_change_password = row.boolean(15);
    user.language = stored_enum<Language>(row.text(16));
    user.sign_up_from = stored_enum<SignUpFrom>(row.text(17));
    user.sign_up_with = stored_enum<LoginWith>(row.text(18));
    user.epoch = row.integer(19);
    return user;
}

template <NamedEnum Enum>
std::optional<Enum> enum_or_null(const std::optional<std::string>& name) {
    return name ? std::optional(stored_enum<Enum>(*name)) : std::nullopt;
}

Profile to_profile(const storage::Row& row) {
    Profile out;
    out.user = to_user(row);
    out.verified_at = row.time_or_null(user_columns);
    out.sign_up_at = row.time(user_columns + 1);
    out.last_login_at = row.time_or_null(user_columns + 2);
    out.last_login_from = enum_or_null<LoginFrom>(row.text_or_null(user_columns + 3));
    out.last_login_with = enum_or_null<LoginWith>(row.text_or_null(user_columns + 4));
    out.last_ip_address = row.text_or_null(user_columns + 5);
    out.updated_at = row.time(user_columns + 6);
    out.gender = enum_or_null<Gender>(row.text_or_null(user_columns + 7));
    return out;
}

}  // namespace

awaitable<std::optional<User>> UserRepository::find(UserId id) {
    const auto rows = co_await database_.look_up(
        "SELECT " CONSENTRY_USER_COLUMNS CONSENTRY_USER_TABLES " WHERE u.id = $1 AND u.deleted_at IS NULL", id);
    if (rows.empty()) co_return std::nullopt;
    co_return to_user(rows[0]);
}

awaitable<std::optional<User>> UserRepository::find_by_email(std::string email) {
    const auto rows = co_await database_.query(
        "SELECT " CONSENTRY_USER_COLUMNS CONSENTRY_USER_TABLES " WHERE u.email = $1 AND u.deleted_at IS NULL", email);
    if (rows.empty()) co_return std::nullopt;
    co_return to_user(rows[0]);
}

awaitable<std::optional<Profile>> UserRepository::find_profile(UserId id) {
    const auto rows = co_await database_.query(
        "SELECT " CONSENTRY_USER_COLUMNS
        ", u.verified_at, u.sign_up_at, u.last_login_at, u.last_login_from, u.last_login_with, u.last_ip_address, "
        "u.updated_at, u.gender" CONSENTRY_USER_TABLES " WHERE u.id = $1 AND u.deleted_at IS NULL",
        id);
    if (rows.empty()) co_return std::nullopt;
    co_return to_profile(rows[0]);
}

awaitable<std::vector<User>> UserRepository::list(std::optional<UserId> after, std::int64_t limit) {
    // UUIDv7 grows with time: the order of ids is the order of creation.
    const auto rows = co_await database_.query("SELECT " CONSENTRY_USER_COLUMNS CONSENTRY_USER_TABLES
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
        "sign_up_with, created_at, updated_at, must_change_password, language) "
        "VALUES ($1, $2, $3, $4, $5, (SELECT type FROM roles WHERE id = $5), $6, $7, $8, $9, $10, $11, $12, $13, "
        "$14, $15, $13, $13, $16, $17)",
        user.id, user.email, user.username, user.name, user.role_id, name_of(user.status), user.is_verified,
        user.is_verified ? std::optional(now) : std::nullopt, user.security_version, user.password_hash,
        user.password_created_at, user.password_expires_at, now, name_of(user.sign_up_from), name_of(user.sign_up_with),
        user.must_change_password, name_of(user.language));
}

void UserRepository::add_same_generation(storage::Transaction& transaction, const User& seen) {
    transaction.add(Expect::one,
                    "UPDATE users SET updated_at = updated_at WHERE id = $1 AND security_version = $2 "
                    "AND $3 = " CONSENTRY_EPOCH_SQL " AND deleted_at IS NULL",
                    seen.id, seen.security_version, seen.epoch);
}

void UserRepository::add_verified(storage::Transaction& transaction, UserId id, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET is_verified = TRUE, verified_at = COALESCE(verified_at, $2), updated_at = $2 "
                    "WHERE id = $1 AND deleted_at IS NULL",
                    id, now);
}

}  // namespace consentry
