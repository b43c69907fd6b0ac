#include "features/accounts/repository.hpp"

#include <fmt/format.h>

#include "features/sessions/grants.hpp"
#include "features/two_factor/repository.hpp"
#include "features/users/columns.hpp"
#include "features/users/password_attempts.hpp"
#include "features/users/repository.hpp"
#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::part;
using storage::sql;

constexpr auto factor_columns =
    columns<AccountView::Factor>(column<"t.enabled", &AccountView::Factor::enabled>,
                                 column<"t.required_setup", &AccountView::Factor::required_setup>,
                                 column<"t.confirmed_at", &AccountView::Factor::confirmed_at>);
constexpr auto view_columns =
    columns<AccountView>(part<&AccountView::profile, profile_columns>, part<&AccountView::factor, factor_columns>);

crypto::Sha256 read_digest(const Bytes& stored) {
    const auto digest = to_array<crypto::Sha256>(stored);
    if (!digest) throw std::runtime_error("a request for a link is damaged");
    return *digest;
}

constexpr auto request_columns = columns<LinkRequest>(
    column<"address_digest", &LinkRequest::address_digest, read_digest>, column<"purpose", &LinkRequest::purpose>,
    column<"email", &LinkRequest::email>, column<"ip_address", &LinkRequest::ip_address>,
    column<"user_agent", &LinkRequest::user_agent>, column<"requested_at", &LinkRequest::requested_at>);

// The first comparison is for the index: what was handled before $1 was requested before $1.
constexpr storage::Text outside_sql =
    "((requested_at < $1 AND (handled_at < $1 OR requested_at < $2)) OR requested_at > $3)";

}  // namespace

awaitable<bool> LinkRequestRepository::request(LinkRequest request, TimePoint again_after) {
    const auto rows = co_await database_.execute(
        "INSERT INTO link_requests (address_digest, purpose, email, ip_address, user_agent, requested_at, handled_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, NULL) ON CONFLICT (address_digest, purpose) DO UPDATE SET "
        "email = excluded.email, ip_address = excluded.ip_address, user_agent = excluded.user_agent, "
        "requested_at = excluded.requested_at, handled_at = NULL "
        // A later time is from before the clock was set back: the address would get no link until the clock reaches it.
        "WHERE link_requests.requested_at <= $7 OR link_requests.requested_at > $8",
        BytesView(request.address_digest), name_of(request.purpose), request.email, request.ip_address,
        request.user_agent, request.requested_at, again_after, request.requested_at + clock_ahead_max);
    co_return rows.affected() == 1;
}

awaitable<std::vector<LinkRequest>> LinkRequestRepository::list_open(std::int64_t limit) {
    // A newer version may have written other purposes and handles those itself.
    const auto rows = co_await database_.query(
        sql<"SELECT ", request_columns,
            " FROM link_requests WHERE handled_at IS NULL AND purpose IN ($2, $3) ORDER BY requested_at LIMIT $1">,
        limit, name_of(TokenPurpose::verify_email), name_of(TokenPurpose::forgot_password));
    co_return request_columns.read_all(rows);
}

void LinkRequestRepository::add_handled(storage::Transaction& transaction, const LinkRequest& request, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE link_requests SET handled_at = $4, email = '', ip_address = '', user_agent = '' "
                    "WHERE address_digest = $1 AND purpose = $2 AND requested_at = $3 AND handled_at IS NULL",
                    BytesView(request.address_digest), name_of(request.purpose), request.requested_at, now);
}

void LinkRequestRepository::add_handled_again(storage::Transaction& transaction, const crypto::Sha256& address_digest,
                                              TokenPurpose purpose, TimePoint before, TimePoint now) {
    transaction.add(
        Expect::one,
        "UPDATE link_requests SET handled_at = $4 WHERE address_digest = $1 AND purpose = $2 AND handled_at = $3",
        BytesView(address_digest), name_of(purpose), before, now);
}

awaitable<void> LinkRequestRepository::erase_outside(TimePoint handled_begin, TimePoint begin, TimePoint end) {
    return storage::execute_in_portions(
        database_,
        sql<"DELETE FROM link_requests WHERE ", outside_sql,
            " AND (address_digest, purpose) IN (SELECT address_digest, purpose FROM link_requests WHERE ", outside_sql,
            " ORDER BY requested_at LIMIT $4)">,
        handled_begin, begin, end);
}

awaitable<std::optional<AccountView>> ProfileRepository::find(UserId user) {
    static const std::string statement = fmt::format(
        "SELECT {}, {}{} LEFT JOIN two_factors t ON t.user_id = u.id WHERE u.id = $1 AND {}", view_columns.list(),
        AcceptanceRepository::accepted_columns(), user_tables.view(), exists_sql.view());
    const auto rows = co_await database_.look_up(statement, user);
    auto view = view_columns.read_first(rows);
    if (view) view->accepted = AcceptanceRepository::read_accepted(rows[0], view_columns.width);
    co_return view;
}

void AccountRepository::add_profile_change(PrivilegedTransaction& transaction, UserId user, const ProfileChange& change,
                                           TimePoint now) {
    std::optional<std::string_view> language;
    if (change.language) language = name_of(*change.language);
    std::optional<std::string_view> gender;
    if (change.gender) gender = name_of(*change.gender);
    transaction.add(Expect::one,
                    "UPDATE users SET name = COALESCE($2, name), language = COALESCE($3, language), "
                    "gender = COALESCE($4, gender), updated_at = $5 WHERE id = $1 AND deleted_at IS NULL",
                    user, change.name, language, gender, now);
}

void AccountRepository::add_verified(storage::Transaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::any,
                    "DELETE FROM identities WHERE user_id = $1 "
                    "AND EXISTS (SELECT 1 FROM users u WHERE u.id = $1 AND u.is_verified = FALSE)",
                    user);
    UserRepository::add_verified(transaction, user, now);
}

void AccountRepository::add_same_role_type(PrivilegedTransaction& transaction, const User& seen) {
    transaction.add(Expect::one,
                    "UPDATE users SET updated_at = updated_at WHERE id = $1 "
                    "AND EXISTS (SELECT 1 FROM roles r WHERE r.id = users.role_id AND r.type = $2)",
                    seen.id, name_of(seen.role));
}

void AccountRepository::add_delete(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    // The placeholder cannot equal an address or a username, because neither can contain a colon.
    transaction.add(
        Expect::one,
        sql<"UPDATE users SET deleted_at = $2, status = 'inactive', security_version = security_version + 1, "
            "deleted_email = email, email = $3, username = $3, password_hash = NULL, password_created_at = NULL, "
            "password_expires_at = NULL, must_change_password = FALSE, role_id = $4, role = 'user', updated_at = $2, ",
            clear_attempts_sql, " WHERE id = $1 AND deleted_at IS NULL">,
        // Of no other role, because the account's row would keep that role from being deleted.
        user, now, "deleted:" + user.text(), built_in_role(Role::user));
    Grants::add_end(transaction, user, {}, "accountDeleted", now);
    TwoFactorRepository::add_erase(transaction, user);
    transaction.add(Expect::any, "DELETE FROM known_devices WHERE user_id = $1", user);
    transaction.add(Expect::any, "DELETE FROM password_history WHERE user_id = $1", user);
}

}  // namespace consentry
