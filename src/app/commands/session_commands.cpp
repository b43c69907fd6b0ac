#include "app/commands/session_commands.hpp"

#include <set>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "app/terminal/results.hpp"
#include "base/errors.hpp"
#include "base/json_values.hpp"
#include "base/standard_error.hpp"

namespace consentry {
namespace {

constexpr std::int64_t sessions_at_once = 100;

// Calls `take` with every session that `list` returns for a query. Sessions that begin meanwhile may be missing.
void for_each(const auto& list, const auto& take) {
    ListQuery query;
    query.order = {{.expression = "created_at"}};
    query.limit = sessions_at_once;
    for (bool more = true; more; query.offset += sessions_at_once) {
        const auto found = list(query);
        for (const auto& session : found.items) take(session);
        more = found.has_more;
    }
}

void add_row(ResultList& rows, const SessionSummary& session, std::string_view state) {
    const bool is_named = session.device_name && !session.device_name->empty();
    const auto& device = is_named ? session.device_name : session.device_platform;
    rows.add({session.id.text(), state, name_of(session.from), name_of(session.with), session.ip_address,
              json_or_null(device), to_iso8601(session.created_at), to_iso8601(session.last_active_at),
              to_iso8601(session.expires_at), session.user_agent});
}

// One rule decides what is live: a row of the list of all sessions lacks the limits that administrators have.
std::set<SessionId> live_sessions(Services& services, UserId user) {
    std::set<SessionId> out;
    for_each([&](const ListQuery& query) { return run(services.sessions.list(user, query)); },
             [&](const SessionSummary& session) { out.insert(session.id); });
    return out;
}

void add_all(ResultList& rows, Services& services, UserId user) {
    std::set<SessionId> live;
    const auto list = [&](const ListQuery& query) {
        auto found = run(services.administration.sessions(user, query)).value();
        live = live_sessions(services, user);  // after the rows: a session that begins in between must not be over
        return found;
    };
    for_each(list, [&](const ListedSession& listed) {
        const SessionSummary& session = listed.session;
        add_row(rows, session, listed.revoked_at ? "revoked" : live.contains(session.id) ? "live" : "over");
    });
}

Result<void> revoke(Services& services, UserId user, SessionId session) {
    return run(services.administration.revoke({.actor = Actor::operator_at_the_machine(), .cause = {}}, user, session));
}

int tell_ended(std::int64_t ended, bool as_json) {
    tell_done(fmt::format("{} {} ended.", ended, ended == 1 ? "session has" : "sessions have"), {{"ended", ended}},
              as_json);
    return 0;
}

int revoke_all(Services& services, UserId user, bool as_json) {
    const auto live = static_cast<std::int64_t>(live_sessions(services, user).size());
    const auto done =
        run(services.administration.revoke_all({.actor = Actor::operator_at_the_machine(), .cause = {}}, user));
    if (!done) return tell(services, done.error());
    return tell_ended(live, as_json);
}

}  // namespace

int list_sessions(const SessionOptions& options) {
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        ResultList rows({{.name = "id", .heading = "ID"},
                         {.name = "state", .heading = "STATE", .is_state = true},
                         {.name = "from", .heading = "FROM"},
                         {.name = "with", .heading = "WITH"},
                         {.name = "ipAddress", .heading = "ADDRESS"},
                         {.name = "device", .heading = "DEVICE"},
                         {.name = "createdAt", .heading = "LOGIN"},
                         {.name = "lastActiveAt", .heading = "LAST ACTIVE"},
                         {.name = "expiresAt", .heading = "EXPIRES"},
                         {.name = "userAgent", .heading = "PROGRAM"}},
                        options.json);
        if (options.all)
            add_all(rows, services, user.id);
        else
            for_each([&](const ListQuery& query) { return run(services.sessions.list(user.id, query)); },
                     [&](const SessionSummary& session) { add_row(rows, session, "live"); });
        rows.end();
        return 0;
    });
}

int revoke_sessions(const SessionOptions& options) {
    const auto only = SessionId::parse(options.session);
    if (options.all == only.has_value() || (!options.session.empty() && !only)) {
        say("consentry: give either the ID of a session, as `consentry session list` shows it, or --all\n");
        return wrong_use;
    }
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        if (only) {
            const auto done = revoke(services, user.id, *only);
            if (!done) return tell(services, done.error());
            return tell_ended(1, options.json);
        }
        return revoke_all(services, user.id, options.json);
    });
}

}  // namespace consentry
