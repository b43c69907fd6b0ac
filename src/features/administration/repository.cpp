#include "features/administration/repository.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "features/sessions/grants.hpp"
#include "features/users/generations.hpp"
#include "features/users/password_attempts.hpp"
#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::part;
using storage::sql;
using storage::unread;

constexpr auto summary_columns = columns<UserSummary>(
    column<"u.id", &UserSummary::id>, column<"u.email", &UserSummary::email>,
    column<"u.username", &UserSummary::username>, column<"u.name", &UserSummary::name>,
    column<"u.role_id", &UserSummary::role_id>, column<"u.status", &UserSummary::status>,
    column<"u.is_verified", &UserSummary::is_verified>, column<"u.language", &UserSummary::language>,
    column<"u.created_at", &UserSummary::created_at>);
constexpr auto listed_user_columns = columns<ListedUser>(
    part<&ListedUser::user, summary_columns>, column<"u.verified_at", &ListedUser::verified_at>,
    column<"u.last_login_at", &ListedUser::last_login_at>, column<"u.updated_at", &ListedUser::updated_at>);

struct ListedRole {
    std::string name;
    Role type = Role::user;
};
constexpr auto listed_role_columns =
    columns<ListedRole>(unread<"id">, column<"name", &ListedRole::name>, column<"type", &ListedRole::type>);

constexpr auto listed_session_columns =
    columns<ListedSession>(part<&ListedSession::session, session_columns>, column<"user_id", &ListedSession::user>,
                           // Raising the epoch ends sessions without touching their rows.
                           column<"CASE WHEN revoked_at IS NULL AND epoch < " + epoch_sql +
                                      " THEN (SELECT e.raised_at FROM epochs e) ELSE revoked_at END",
                                  &ListedSession::revoked_at>);

// A condition, a count of the matching accounts, and the same condition in a form that no index matches.
struct Filter {
    std::string_view expression;
    std::string_view counted;  // counts up to a bound; $1 to $3 are the values, $4 is the bound
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
// Selects accounts that are not deleted, by a column in the index of the order: the address and the username of a
// deleted account are both "deleted:" and its id.
constexpr std::string_view living(std::string_view order) {
    if (order == "u.email") return "users u WHERE u.email NOT LIKE 'deleted:%'";
    if (order == "u.username") return "users u WHERE u.username NOT LIKE 'deleted:%'";
    return "users u WHERE u.deleted_at IS NULL";
}
// Fewer rows are sorted quickly. With more, the index of the order soon yields a page.
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
    // SQLite keeps no statistics here and always prefers the index of a filter. For a role with a million accounts it
    // would sort a million rows for a page of twenty.
    for (ListCondition& condition : query.conditions) {
        const bool common = co_await is_common(condition);
        if (common)
            condition.expression = std::ranges::find(filters, condition.expression, &Filter::expression)->unindexed;
    }
    const std::string_view by = query.order.empty() ? std::string_view{} : query.order.front().expression;
    auto page = co_await storage::select_list(
        database_,
        {.columns = listed_user_columns.list(), .from = living(by), .large = true, .counted_from = living({})},
        std::move(query), listed_user_columns.read);
    // There are few roles, each looked up once. A join in the statement above would make PostgreSQL look one up for
    // every row it skips.
    std::map<RoleId, std::optional<ListedRole>> roles;
    for (ListedUser& listed : page.items) {
        UserSummary& user = listed.user;
        auto role = roles.find(user.role_id);
        if (role == roles.end()) {
            const auto found = co_await database_.look_up(
                sql<"SELECT ", listed_role_columns, " FROM roles WHERE id = $1">, user.role_id);
            role = roles.emplace(user.role_id, listed_role_columns.read_first(found)).first;
        }
        if (!role->second) continue;  // deleted a moment ago and no longer in use
        listed.role_name = role->second->name;
        user.role = role->second->type;
    }
    co_return page;
}

awaitable<ListSlice<ListedSession>> AdministrationRepository::sessions(UserId user, ListQuery query) {
    return storage::select_list(database_,
                                {.columns = listed_session_columns.list(), .from = "sessions WHERE user_id = $1"},
                                std::move(query), listed_session_columns.read, user);
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
    // A reactivated account starts with all its password attempts.
    transaction.add(Expect::one,
                    sql<"UPDATE users SET status = $3, security_version = security_version + 1, updated_at = $4, ",
                        clear_attempts_if_sql<"$5">,
                        " WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL "
                        "AND EXISTS (SELECT 1 FROM roles r WHERE r.id = users.role_id AND r.type = $6)">,
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
    // The tokens and lifetimes of a session depend on the role with which it started.
    Grants::add_end(transaction, seen.id, {.identities = true, .devices = true}, "role", now);
}

}  // namespace consentry
