#include "features/administration/repository.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "features/sessions/grants.hpp"
#include "features/users/generations.hpp"
#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::Expect;

ListedUser to_user(const storage::Row& row) {
    ListedUser out;
    out.id = row.id<UserId>(0);
    out.name = row.text_or_null(1);
    out.username = row.text(2);
    out.email = row.text(3);
    out.is_verified = row.boolean(4);
    out.verified_at = row.time_or_null(5);
    out.role_id = row.id<RoleId>(6);
    out.status = stored_enum<UserStatus>(row.text(7));
    out.language = stored_enum<Language>(row.text(8));
    out.last_login_at = row.time_or_null(9);
    out.created_at = row.time(10);
    out.updated_at = row.time(11);
    return out;
}

ListedSession to_session(const storage::Row& row) {
    ListedSession out;
    out.id = row.id<SessionId>(0);
    out.user = row.id<UserId>(1);
    out.from = stored_enum<LoginFrom>(row.text(2));
    out.with = stored_enum<LoginWith>(row.text(3));
    out.ip_address = row.text(4);
    out.user_agent = row.text(5);
    out.device_name = row.text_or_null(6);
    out.device_platform = row.text_or_null(7);
    out.created_at = row.time(8);
    out.updated_at = row.time(9);
    out.last_active_at = row.time(10);
    out.expires_at = row.time(11);
    out.revoked_at = row.time_or_null(12);
    return out;
}

// A condition, the accounts that keep it, and the condition again in a form that no index is made for.
struct Filter {
    std::string_view expression;
    std::string_view counted;  // up to so many; $1 to $4, the last of them the bound
    std::string_view unindexed;
};
constexpr std::array filters{
    Filter{"u.status",
           "SELECT count(*) FROM (SELECT 1 FROM users WHERE deleted_at IS NULL AND status IN ($1, $2, $3) LIMIT $4) AS "
           "found",
           "COALESCE(u.status, '')"},
    Filter{"u.role_id", "SELECT count(*) FROM (SELECT 1 FROM users WHERE role_id IN ($1, $2, $3) LIMIT $4) AS found",
           "COALESCE(u.role_id, u.role_id)"},
};
// The accounts that are not deleted, told by what the index of the order has: a deleted one is called "deleted:" and
// its id, in both.
constexpr std::string_view living(std::string_view order) {
    if (order == "u.email") return "users u WHERE u.email NOT LIKE 'deleted:%'";
    if (order == "u.username") return "users u WHERE u.username NOT LIKE 'deleted:%'";
    return "users u WHERE u.deleted_at IS NULL";
}
// Fewer are sorted at once; of more, a page is soon found along the index of the order.
constexpr std::int64_t common_min = 10'000;

}  // namespace

awaitable<bool> AdministrationRepository::is_common(const ListCondition& condition) {
    const auto filter = std::ranges::find(filters, condition.expression, &Filter::expression);
    if (filter == filters.end()) co_return false;
    storage::Params params;
    for (std::size_t i = 0; i < 3; ++i)
        params.push_back(std::visit([](const auto& value) -> storage::Param { return value; },
                                    condition.values.at(std::min(i, condition.values.size() - 1))));
    params.emplace_back(common_min);
    const auto rows = co_await database_.query_with(filter->counted, std::move(params));
    co_return rows[0].integer(0) == common_min;
}

awaitable<ListSlice<ListedUser>> AdministrationRepository::users(ListQuery query) {
    // SQLite keeps no statistics here and takes the index of a filter whenever there is one: of a role that a million
    // accounts have, it would sort a million for a page of twenty.
    for (ListCondition& condition : query.conditions) {
        const bool common = co_await is_common(condition);
        if (common)
            condition.expression = std::ranges::find(filters, condition.expression, &Filter::expression)->unindexed;
    }
    const std::string_view by = query.order.empty() ? std::string_view{} : query.order.front().expression;
    auto page = co_await storage::select_list(database_,
                                              {.columns = "u.id, u.name, u.username, u.email, u.is_verified, "
                                                          "u.verified_at, u.role_id, u.status, u.language, "
                                                          "u.last_login_at, u.created_at, u.updated_at",
                                               .from = living(by),
                                               .large = true,
                                               .counted_from = living({})},
                                              std::move(query), to_user);
    // Few roles, looked up once each: in the statement above PostgreSQL would do so for every row it passes over.
    std::map<RoleId, storage::Rows> roles;
    for (ListedUser& user : page.items) {
        auto role = roles.find(user.role_id);
        if (role == roles.end()) {
            auto found = co_await database_.look_up("SELECT id, name, type FROM roles WHERE id = $1", user.role_id);
            role = roles.emplace(user.role_id, std::move(found)).first;
        }
        if (role->second.empty()) continue;  // deleted this moment, and nobody's any more
        user.role_name = role->second[0].text(1);
        user.role = stored_enum<Role>(role->second[0].text(2));
    }
    co_return page;
}

awaitable<ListSlice<ListedSession>> AdministrationRepository::sessions(UserId user, ListQuery query) {
    return storage::select_list(database_,
                                {.columns = "id, user_id, login_from, login_with, ip_address, user_agent, device_name, "
                                            "device_platform, created_at, updated_at, last_active_at, expires_at, "
                                            // Over since the epoch was raised: that touches no row.
                                            "CASE WHEN revoked_at IS NULL AND epoch < " CONSENTRY_EPOCH_SQL
                                            " THEN (SELECT e.raised_at FROM epochs e) ELSE revoked_at END",
                                 .from = "sessions WHERE user_id = $1"},
                                std::move(query), to_session, user);
}

awaitable<bool> AdministrationRepository::has_email(std::string email) {
    const auto rows = co_await database_.query("SELECT 1 FROM users WHERE email = $1 AND deleted_at IS NULL", email);
    co_return !rows.empty();
}

awaitable<bool> AdministrationRepository::has_username(std::string username) {
    const auto rows =
        co_await database_.query("SELECT 1 FROM users WHERE username = $1 AND deleted_at IS NULL", username);
    co_return !rows.empty();
}

void AdministrationRepository::add_status(PrivilegedTransaction& transaction, const User& seen, UserStatus status,
                                          TimePoint now) {
    // Whoever is let in again begins with all attempts.
    transaction.add(Expect::one,
                    "UPDATE users SET status = $3, security_version = security_version + 1, updated_at = $4, "
                    "password_attempt = CASE WHEN $5 THEN 0 ELSE password_attempt END, "
                    "password_locked_until = CASE WHEN $5 THEN NULL ELSE password_locked_until END "
                    "WHERE id = $1 AND security_version = $2 AND status <> 'blocked' AND deleted_at IS NULL "
                    "AND EXISTS (SELECT 1 FROM roles r WHERE r.id = users.role_id AND r.type = $6)",
                    seen.id, seen.security_version, name_of(status), now, status == UserStatus::active,
                    name_of(seen.role));
    Grants::add_end(transaction, seen.id, {.identities = true, .devices = true}, "status", now);
}

void AdministrationRepository::add_role(PrivilegedTransaction& transaction, const User& seen, RoleId role,
                                        TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET role_id = $3, role = (SELECT type FROM roles WHERE id = $3), "
                    "security_version = security_version + 1, updated_at = $4 "
                    "WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL "
                    "AND EXISTS (SELECT 1 FROM roles r WHERE r.id = users.role_id AND r.type = $5)",
                    seen.id, seen.security_version, role, now, name_of(seen.role));
    // Tokens and lifetimes of a session go by the role it was begun with.
    Grants::add_end(transaction, seen.id, {.identities = true, .devices = true}, "role", now);
}

}  // namespace consentry
