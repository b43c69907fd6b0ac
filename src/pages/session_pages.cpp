#include "pages/session_pages.hpp"

#include "base/shown_time.hpp"
#include "features/mail/shown_text.hpp"
#include "pages/account_words.hpp"
#include "pages/notes.hpp"
#include "pages/older_lines.hpp"

namespace consentry {
namespace {

constexpr std::int64_t sessions_per_page = 20;

// What its owner knows the session's device by.
std::string device_of(const SessionSummary& session) {
    std::string agent = shown_agent(session.user_agent);
    if (!session.device_name || session.device_name->empty()) return agent;
    return agent.empty() ? *session.device_name : *session.device_name + " (" + agent + ")";
}

}  // namespace

void SessionPages::add_to(Pages& pages) {
    pages.show("/account/sessions",
               {.id = "accountSessions",
                .file = "account_sessions.html",
                .title = "sessions.title",
                .names = {"sessions", "session", "device", "place", "begun", "begun_iso", "active", "active_iso",
                          "is_current", "has_others", "older_at", "older_after"}},
               [this](const VisitOf<SignedIn>& visit) { return show(visit); });
    const ActionSpec on_their_page{.if_expired = Address("/account/sessions")};
    pages.action(
        "/account/sessions/end", "accountSessionEnd",
        [this](const Sent<SessionForm, VisitOf<SignedIn>>& sent) { return end_one(sent); }, on_their_page);
    pages.action(
        "/account/sessions/end-others", "accountSessionsEnd",
        [this](const Sent<NothingForm, VisitOf<SignedIn>>& sent) { return end_others(sent); }, on_their_page);
}

awaitable<Result<PageAnswer>> SessionPages::show(const VisitOf<SignedIn>& visit) const {
    const auto position = older_than<SessionId>(visit);
    ListQuery query;
    query.order = {{"created_at", true}};
    query.limit = sessions_per_page;
    query.by_cursor = true;
    query.after = position;
    const auto found = co_await sessions_.list(visit.caller().user(), std::move(query));
    const std::string unknown(locales_.text(visit.language(), "pages.sessions.unknown"));
    std::vector<View> lines;
    lines.reserve(found.items.size());
    for (const SessionSummary& session : found.items) {
        const std::string device = device_of(session);
        lines.push_back(std::move(View()
                                      .text("session", session.id.text())
                                      .text("device", device.empty() ? unknown : device)
                                      .text("place", session.ip_address)
                                      .text("begun", shown_time(session.created_at))
                                      .text("begun_iso", to_iso8601(session.created_at))
                                      .text("active", shown_time(session.last_active_at))
                                      .text("active_iso", to_iso8601(session.last_active_at))
                                      .flag("is_current", session.id == visit.caller().session())));
    }
    View view;
    view.flag("has_others", lines.size() > 1 || found.has_more || position).list("sessions", std::move(lines));
    add_older<SessionId>(view, found);
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> SessionPages::end_one(const Sent<SessionForm, VisitOf<SignedIn>>& sent) {
    const auto& caller = sent.visit().caller();
    auto ended = co_await sessions_.revoke(caller.actor(), caller.user(), sent.form().session,
                                           ActivityAction::user_revoke_session, cause_of(sent.visit().context()));
    // A session that has ended in the meantime is what the visitor wants.
    if (!ended && !ended.error().is(errors::session_not_found)) co_return fail(std::move(ended.error()));
    co_return PageAnswer::to(Address("/account/sessions"), tell(PageNote::session_ended, sent.visit()));
}

awaitable<Result<PageAnswer>> SessionPages::end_others(const Sent<NothingForm, VisitOf<SignedIn>>& sent) {
    const auto& caller = sent.visit().caller();
    auto ended = co_await sessions_.revoke_others(caller.actor(), caller.user(), caller.session(),
                                                  cause_of(sent.visit().context()));
    if (!ended) co_return fail(std::move(ended.error()));
    co_return PageAnswer::to(Address("/account/sessions"), tell(PageNote::sessions_ended, sent.visit()));
}

}  // namespace consentry
