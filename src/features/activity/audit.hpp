// Writing down what happened: for the owner of an account with the change itself (activity.hpp), for the operator in
// the security event stream once it is so (base/security_events.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/client_network.hpp"
#include "base/security_events.hpp"
#include "features/activity/activity.hpp"
#include "http/context.hpp"

namespace consentry {

// Who caused a change, and from where. Without an actor and an origin: the operator, at the machine.
struct Cause {
    std::optional<UserId> actor = {};
    std::optional<EventOrigin> origin = {};
};

Cause cause_of(const http::RequestContext& context);
// For what the networks of clients share; that of the service itself where nobody asked over HTTP.
ClientNetwork network_of(const Cause& cause);

class Audit {
public:
    // `events` outlives it and its copies.
    explicit Audit(SecurityEvents& events) : events_(&events) {}

    // Into the transaction of the change. `user` did it, unless the cause names an actor: whose own log then tells of
    // it too, with the account in `metadata.userId`.
    static void add(storage::Transaction& transaction, UserId user, ActivityAction action, const Cause& cause,
                    TimePoint now, boost::json::object metadata = {});
    // Into the stream. `subject`: the account it is about, if one is known.
    void tell(std::string_view name, Outcome outcome, std::optional<UserId> subject, const Cause& cause,
              std::vector<std::pair<std::string_view, std::string>> detail = {}) const noexcept;

private:
    SecurityEvents* events_;
};

}  // namespace consentry
