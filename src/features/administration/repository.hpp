// The SQL of account administration.
#pragma once

#include <optional>
#include <string>

#include "features/sessions/session_summary.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;

// One row of a list of accounts.
struct ListedUser {
    UserSummary user;
    std::string role_name;
    std::optional<TimePoint> verified_at;
    std::optional<TimePoint> last_login_at;
    TimePoint updated_at;
};

struct ListedSession {
    SessionSummary session;
    UserId user;
    std::optional<TimePoint> revoked_at;
};

class AdministrationRepository {
public:
    explicit AdministrationRepository(storage::Database& database) : database_(database) {}

    awaitable<ListSlice<ListedUser>> users(ListQuery query);
    // Includes ended sessions.
    awaitable<ListSlice<ListedSession>> sessions(UserId user, ListQuery query);
    // Both ignore deleted accounts.
    awaitable<bool> has_email(std::string email);
    awaitable<bool> has_username(std::string username);

    // Both raise the security version, which ends sessions and links. Expect::one fails if the security version, or the
    // type of the account's role, differs from that in `seen`. add_status() does not ask whether the account is
    // blocked: who may end that is the rule of the caller, and blocking raises the version, too.
    static void add_status(PrivilegedTransaction& transaction, const User& seen, UserStatus status, TimePoint now);
    static void add_role(PrivilegedTransaction& transaction, const User& seen, RoleId role, TimePoint now);

private:
    awaitable<bool> is_common(const ListCondition& condition);
    storage::Database& database_;
};

}  // namespace consentry
