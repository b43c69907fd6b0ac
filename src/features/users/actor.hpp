// Who makes a change, and the proof of it inside the change.
//
// A guard decides at the beginning of a request; its change commits at the end. In between the caller can be blocked,
// demoted or logged out. So a change that takes authority is a PrivilegedTransaction, which takes an Actor, and only
// the guard's values (and the operator's commands) yield one. Its first statements assert, in the same transaction,
// that the actor still is what the guard saw. The repositories' functions of such changes take this type: with a plain
// Transaction they do not compile.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/users/abilities.hpp"
#include "storage/database.hpp"

namespace consentry {

// What is known of the owner of a live session.
struct Caller {
    UserId user;
    SessionId session;
    std::int64_t security_version = 0;  // of the session, and of the account when the session was matched
    std::string email;
    Role role = Role::user;
    RoleId role_id;
    bool must_change_password = false;  // signed in with a temporary one
    TimePoint proven_at;                // when the session's owner last proved who they are
};

// A role as a guard saw it.
struct SeenRole {
    Rights rights;
    std::string abilities;  // as they are stored
};

class Actor {
public:
    // Commands on the machine itself, which nobody guards but the machine.
    static Actor operator_at_the_machine();

    // None: the operator.
    std::optional<UserId> user() const;
    const Rights& rights() const { return rights_; }

private:
    friend class SignedIn;
    friend class SignedInProvisionally;
    template <auto...>
    friend class Permitted;
    friend class PrivilegedTransaction;

    Actor() = default;
    // Of a guard that asked for no abilities.
    explicit Actor(const Caller& caller);
    Actor(const Caller& caller, const SeenRole& seen);

    struct Proof {
        UserId user;
        SessionId session;
        RoleId role_id;
        std::optional<std::string> abilities;  // compared where the guard asked for some
    };
    std::optional<Proof> proof_;
    Rights rights_;
};

class PrivilegedTransaction : public storage::Transaction {
public:
    // `target`: another account that is changed. The rows of both are locked in one order, so that two who change each
    // other wait for one another instead of ending in a deadlock.
    PrivilegedTransaction(const Actor& by, TimePoint now, std::optional<UserId> target = {});

    // How many statements the change itself has so far.
    std::size_t size() const { return statements().size() - assertions_; }

    // Errors: what the guard would answer now. Otherwise as Database::commit(), the statements of the change counted
    // from 0.
    storage::awaitable<Result<storage::Outcome>> commit(storage::Database& database) &&;

private:
    Error refusal(const storage::Rows& found) const;

    const Actor by_;
    const TimePoint now_;
    std::size_t assertions_ = 0;
    std::size_t actor_at_ = 0;
};

// Somebody must stay who can look after the service. A change that can take away a super admin begins with add_lock()
// and ends with add_remains(): of several at the same moment each waits for the one before and sees what it left.
class SuperAdmins {
public:
    static void add_lock(PrivilegedTransaction& transaction);
    // Expect::one: there is an active one. Where it fails: errors::last_super_admin.
    static void add_remains(PrivilegedTransaction& transaction);
};

}  // namespace consentry
