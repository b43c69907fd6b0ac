// Records events: for the owner of an account with the change itself (activity.hpp), and for the operator in the
// security event stream after the commit (base/security_events.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/client_network.hpp"
#include "base/security_events.hpp"
#include "features/activity/activity.hpp"
#include "features/users/actor.hpp"
#include "http/context.hpp"

namespace consentry {

// Who caused a change, and from where. Without an actor and an origin it is the operator on the command line.
struct Cause {
    std::optional<UserId> actor = {};
    std::optional<EventOrigin> origin = {};
};

// What happens to an account. If an administrator causes it, the two logs may name it differently: the administrator's
// log tells what they did (adminUserCreate), the owner's what happened to the account (userCreated).
struct AccountAction {
    // NOLINTNEXTLINE(google-explicit-constructor): most actions have one name
    constexpr AccountAction(ActivityAction in_all_logs) : action(in_all_logs), in_owners_log(in_all_logs) {}
    constexpr AccountAction(ActivityAction act, ActivityAction owners) : action(act), in_owners_log(owners) {}

    ActivityAction action;         // in the log of the actor and in the administration log
    ActivityAction in_owners_log;  // in the log of the account, unless its owner is the actor
};

Cause cause_of(const http::RequestContext& context);
// The network used for limits per client network. Without an HTTP request it is that of the service itself.
ClientNetwork network_of(const Cause& cause);

class Audit {
public:
    // `events` must outlive this object and its copies.
    explicit Audit(SecurityEvents& events) : events_(&events) {}

    // Adds an entry to the transaction of the change. The actor is `user` unless the cause names another one. The log
    // of that actor then gets an entry too, with the account in `metadata.userId` and the origin, which the account's
    // entry omits. If the action is an act (acts.hpp), the administration log gets one as well.
    static void add(storage::Transaction& transaction, UserId user, AccountAction action, const Cause& cause,
                    TimePoint now, boost::json::object metadata = {});
    // The same for the administration log alone: acts that no account's own log shows.
    static void add_act(storage::Transaction& transaction, std::optional<UserId> subject, ActivityAction action,
                        const Cause& cause, TimePoint now, const boost::json::object& metadata);
    // The same for a change of what belongs to no account, such as a role: in the log of its author. The operator has
    // none, so only the administration log gets that entry.
    static void add_by(storage::Transaction& transaction, const Actor& by, ActivityAction action, const Cause& cause,
                       TimePoint now, boost::json::object metadata = {});
    // Writes to the security event stream. `subject` is the account concerned, if known.
    void tell(std::string_view name, Outcome outcome, std::optional<UserId> subject, const Cause& cause,
              std::vector<std::pair<std::string_view, std::string>> detail = {}) const noexcept;

private:
    SecurityEvents* events_;
};

}  // namespace consentry
