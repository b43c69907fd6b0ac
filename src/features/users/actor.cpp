#include "features/users/actor.hpp"

#include <algorithm>
#include <ranges>

#include "base/errors.hpp"
#include "features/users/generations.hpp"
#include "features/users/repository.hpp"
#include "features/users/stored.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;
using storage::unread;

// Changes of super admins lock this row: the built-in role, which every database has.
const RoleId super_admin_role = built_in_role(Role::super_admin);

// The current state of an actor who no longer is what the guard saw.
struct SeenActor {
    UserStatus status = UserStatus::active;
    bool is_verified = false;
    Role role = Role::user;
};
constexpr auto seen_actor_columns =
    columns<SeenActor>(column<"u.status", &SeenActor::status>, column<"u.is_verified", &SeenActor::is_verified>,
                       column<"r.type", &SeenActor::role>, unread<"r.abilities">);

bool reads_epoch(const storage::Statement& statement) { return statement.sql.contains(" FROM epochs "); }

}  // namespace

Actor::Actor(const Caller& caller)
    : proof_(Proof{.user = caller.user, .session = caller.session, .role_id = caller.role_id, .abilities = {}}),
      rights_{.type = caller.role, .abilities = {}} {}

Actor::Actor(const Caller& caller, const SeenRole& seen) : Actor(caller) {
    rights_ = seen.rights;
    proof_->abilities = seen.abilities;
}

Actor Actor::operator_at_the_machine() {
    Actor out;
    out.rights_.type = Role::super_admin;
    return out;
}

std::optional<UserId> Actor::user() const { return proof_ ? std::optional(proof_->user) : std::nullopt; }

PrivilegedTransaction::PrivilegedTransaction(const Actor& by, TimePoint now, std::optional<UserId> target)
    : by_(by), now_(now) {
    if (!by.proof_) return;
    const auto& [user, session, role, abilities] = *by.proof_;
    if (target && *target < user) UserRepository::add_lock(*this, *target);
    UserRepository::add_lock(*this, user);
    if (target && user < *target) UserRepository::add_lock(*this, *target);
    actor_at_ = statements().size();
    // A separate statement after the locks, because PostgreSQL reads sessions and roles from a snapshot taken when the
    // statement begins.
    add(Expect::one,
        sql<"UPDATE users SET updated_at = updated_at WHERE id = $1 AND status = 'active' AND is_verified "
            "AND deleted_at IS NULL AND role_id = $2 "
            "AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = $3 AND s.user_id = $1 AND s.revoked_at IS NULL "
            "AND s.expires_at > $4 AND ",
            current_with_sql<"s", "users">,
            ") AND ($6 OR EXISTS (SELECT 1 FROM roles r WHERE r.id = $2 AND r.type = $5 AND r.abilities = $7))">,
        user, role, session, now, name_of(by.rights_.type), !abilities.has_value(), abilities.value_or(""));
    assertions_ = statements().size();
}

storage::awaitable<Result<storage::Outcome>> PrivilegedTransaction::commit(storage::Database& database) && {
    const bool asserts = assertions_ > 0;
    // On PostgreSQL, each statement reads the epoch anew. A grant may so get an epoch that is newer than the session
    // whose actor made it. Hence the last statement compares once more.
    const std::size_t end = statements().size();
    const bool compares_again =
        asserts && std::ranges::any_of(statements() | std::views::drop(assertions_), reads_epoch);
    if (compares_again)
        add(Expect::one,
            sql<"UPDATE users SET updated_at = updated_at WHERE id = $1 AND EXISTS (SELECT 1 FROM sessions s "
                "WHERE s.id = $2 AND ",
                of_this_epoch_sql<"s">, ")">,
            by_.proof_->user, by_.proof_->session);
    auto outcome = co_await database.commit(std::move(static_cast<storage::Transaction&>(*this)));
    if (outcome.committed && compares_again) outcome.results.resize(end);
    if (!outcome.committed && asserts && (outcome.failed_at == actor_at_ || outcome.failed_at == end)) {
        const auto found = co_await database.query(
            sql<"SELECT ", seen_actor_columns,
                " FROM users u JOIN roles r ON r.id = u.role_id "
                "JOIN sessions s ON s.user_id = u.id WHERE u.id = $1 AND s.id = $2 AND u.deleted_at IS NULL "
                "AND s.revoked_at IS NULL AND s.expires_at > $3 AND ",
                current_with_sql<"s", "u">>,
            by_.proof_->user, by_.proof_->session, now_);
        co_return fail(refusal(found));
    }
    if (outcome.committed)
        outcome.results.erase(outcome.results.begin(),
                              outcome.results.begin() + static_cast<std::ptrdiff_t>(assertions_));
    else
        outcome.failed_at -= assertions_;
    co_return outcome;
}

Error PrivilegedTransaction::refusal(const storage::Rows& found) const {
    const auto actor = seen_actor_columns.read_first(found);
    if (!actor) return Error{errors::jwt_access_token_invalid};
    if (actor->status == UserStatus::blocked) return Error{errors::blocked_forbidden};
    if (actor->status != UserStatus::active) return Error{errors::inactive_forbidden};
    if (!actor->is_verified) return Error{errors::email_not_verified};
    // An actor whose guard required no abilities is told to log in again; the next session has the role as it is then.
    if (!by_.proof_->abilities) return Error{errors::jwt_access_token_invalid};
    if (actor->role == Role::user) return Error{errors::role_forbidden};
    return Error{errors::policy_forbidden};
}

void SuperAdmins::add_lock(PrivilegedTransaction& transaction) {
    transaction.add(Expect::any, "UPDATE roles SET updated_at = updated_at WHERE id = $1", super_admin_role);
}

void SuperAdmins::add_remains(PrivilegedTransaction& transaction) {
    transaction.add(Expect::one,
                    "UPDATE roles SET updated_at = updated_at WHERE id = $1 AND EXISTS (SELECT 1 FROM users u "
                    "JOIN roles r ON r.id = u.role_id WHERE r.type = 'superAdmin' AND u.status = 'active' "
                    "AND u.deleted_at IS NULL)",
                    super_admin_role);
}

}  // namespace consentry
