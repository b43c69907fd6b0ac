// The author of a change, and the proof of authority inside its transaction.
//
// A guard decides at the beginning of a request, but the change commits at its end. In between, the caller may have
// been blocked, demoted or logged out. So a change that needs authority is a PrivilegedTransaction. It requires an
// Actor, which only the guard's proofs and the operator's commands yield. Its first statements assert, in the same
// transaction, that the actor is still what the guard saw. Repository functions for such changes take a
// PrivilegedTransaction; passing a plain Transaction does not compile.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/users/abilities.hpp"
#include "storage/database.hpp"

namespace consentry {

// The owner of a live session.
struct Caller {
    UserId user;
    SessionId session;
    std::string jti;                    // that the session had when it was matched
    std::int64_t security_version = 0;  // of the session, and of the account when the session was matched
    std::string email;
    Role role = Role::user;
    RoleId role_id;
    bool must_change_password = false;             // signed in with a temporary password
    TimePoint proven_at;                           // when the session's owner last proved who they are
    std::optional<std::string> policy_state = {};  // policy_state_sql; nullopt: not read along
};

// A role as the guard read it.
struct SeenRole {
    Rights rights;
    std::string abilities;  // as stored
};

class Actor {
public:
    // The actor of the operator's commands. Access to the machine is their only protection.
    static Actor operator_at_the_machine();

    // Returns nullopt for the operator.
    std::optional<UserId> user() const;
    const Rights& rights() const { return rights_; }

private:
    friend class SignedIn;
    friend class SignedInProvisionally;
    template <auto...>
    friend class Permitted;
    friend class PrivilegedTransaction;

    Actor() = default;
    // For a guard that required no abilities.
    explicit Actor(const Caller& caller);
    Actor(const Caller& caller, const SeenRole& seen);

    struct Proof {
        UserId user;
        SessionId session;
        RoleId role_id;
        std::optional<std::string> abilities;  // if the guard required any; only then the role must be as it was
    };
    std::optional<Proof> proof_;
    Rights rights_;
};

class PrivilegedTransaction : public storage::Transaction {
public:
    // `target` is another account that the change modifies. Both rows are locked in id order, so that two actors who
    // change each other wait instead of deadlocking.
    PrivilegedTransaction(const Actor& by, TimePoint now, std::optional<UserId> target = {});

    // The number of statements added so far, excluding the assertions.
    std::size_t size() const { return statements().size() - assertions_; }

    // Errors: what the guard would return now. Otherwise behaves like Database::commit(), counting the change's
    // statements from 0.
    storage::awaitable<Result<storage::Outcome>> commit(storage::Database& database) &&;

private:
    Error refusal(const storage::Rows& found) const;

    const Actor by_;
    const TimePoint now_;
    std::size_t assertions_ = 0;
    std::size_t actor_at_ = 0;
};

// Ensures that at least one active super admin remains. A change that may remove one begins with add_lock() and ends
// with add_remains(). The lock serializes concurrent changes, so that each sees what the one before left.
class SuperAdmins {
public:
    static void add_lock(PrivilegedTransaction& transaction);
    // Expect::one: an active super admin exists. If it fails, return errors::last_super_admin.
    static void add_remains(PrivilegedTransaction& transaction);
};

}  // namespace consentry
