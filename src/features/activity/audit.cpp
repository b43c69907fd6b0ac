#include "features/activity/audit.hpp"

namespace consentry {

Cause cause_of(const http::RequestContext& context) {
    Cause out;
    if (context.caller.user) out.actor = UserId{*context.caller.user};
    out.origin = EventOrigin{.address = context.client_address(),
                             .user_agent = context.user_agent(),
                             .request_id = context.request_id,
                             .correlation_id = context.correlation_id,
                             .trace_id = context.trace ? context.trace->trace_id : std::string()};
    return out;
}

ClientNetwork network_of(const Cause& cause) {
    if (!cause.origin) return {};
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(cause.origin->address.c_str(), error);
    return error ? ClientNetwork{} : ClientNetwork::of(address);
}

void Audit::add(storage::Transaction& transaction, UserId user, AccountAction action, const Cause& cause, TimePoint now,
                boost::json::object metadata) {
    if (act_code(action.action)) add_act(transaction, user, action.action, cause, now, metadata);
    NewActivity activity{.user = user,
                         .action = cause.actor == user ? action.action : action.in_owners_log,
                         .actor = cause.actor,
                         .metadata = std::move(metadata)};
    if (!cause.origin) activity.metadata["by"] = "operator";
    const bool is_own = !cause.actor || *cause.actor == user;
    const auto add_origin = [&] {
        if (!cause.origin) return;
        activity.ip_address = cause.origin->address;
        activity.user_agent = cause.origin->user_agent;
    };
    // The workstation of an administrator is not the concern of the account's owner.
    if (is_own) add_origin();
    ActivityRepository::add_insert(transaction, activity, now);
    if (is_own) return;
    add_origin();
    activity.user = *cause.actor;
    activity.action = action.action;
    activity.metadata["userId"] = user.text();
    ActivityRepository::add_insert(transaction, activity, now);
}

void Audit::add_act(storage::Transaction& transaction, std::optional<UserId> subject, ActivityAction action,
                    const Cause& cause, TimePoint now, const boost::json::object& metadata) {
    Act act{.id = ActId::make(now), .code = act_code(action).value(), .actor = cause.actor, .subject = subject};
    act.metadata = metadata_text(metadata);
    act.at = now;
    if (cause.origin) {
        if (!act.actor) act.actor = subject;  // the owner, whom the request itself has proven
        act.ip_address = cause.origin->address;
        act.user_agent = cause.origin->user_agent;
    }
    // Roles, keys and policies are recorded in the log of the administrator, who is not their subject.
    const bool is_owners = !name_of(action).starts_with("admin");
    if (act.subject == act.actor && !is_owners) act.subject = std::nullopt;
    ActRepository::add_insert(transaction, act);
}

void Audit::add_by(storage::Transaction& transaction, const Actor& by, ActivityAction action, const Cause& cause,
                   TimePoint now, boost::json::object metadata) {
    if (const auto user = by.user())
        add(transaction, *user, action, cause, now, std::move(metadata));
    else
        add_act(transaction, std::nullopt, action, cause, now, metadata);
}

void Audit::tell(std::string_view name, Outcome outcome, std::optional<UserId> subject, const Cause& cause,
                 std::vector<std::pair<std::string_view, std::string>> detail) const noexcept {
    try {
        SecurityEvent event{.name = name, .outcome = outcome, .detail = std::move(detail)};
        if (cause.actor) event.actor = cause.actor->text();
        // Without a request, the operator acts, or Consentry itself.
        const bool is_own = !cause.actor && cause.origin;
        if (subject && subject != cause.actor) (is_own ? event.actor : event.target) = subject->text();
        if (cause.origin) event.origin = &*cause.origin;
        events_->record(event);
    } catch (...) {  // out of memory: the event is lost, the request continues
    }
}

}  // namespace consentry
