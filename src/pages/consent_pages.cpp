#include "pages/consent_pages.hpp"

#include <algorithm>
#include <array>

#include "base/best_effort.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "features/activity/audit.hpp"
#include "pages/accept_language.hpp"
#include "pages/ways.hpp"

namespace consentry {
namespace {

constexpr std::size_t types_max = 4;
// What the guard of the API requires.
constexpr std::array guarded_types{PolicyType::terms_of_service, PolicyType::privacy};
constexpr HtmlLiteral changes_field = "changes";  // of the address: whether to show what has changed

// The types that the query or the form names; without any, those that the guard requires.
std::vector<PolicyType> types_in(std::string_view list) {
    std::vector<PolicyType> out;
    while (!list.empty() && out.size() < types_max) {
        if (const auto type = find_enum<PolicyType>(take_part(list, ','))) out.push_back(*type);
    }
    if (out.empty()) out.assign(guarded_types.begin(), guarded_types.end());
    return out;
}

// Nullopt for everything that no link of ours contains.
std::optional<std::int64_t> version_of(std::string_view digits) {
    const auto version = parse_canonical_number<std::int64_t>(digits);
    return version && *version >= 1 ? version : std::nullopt;
}

const PolicyContent& content_for(const TermPolicy& policy, Language language) {
    for (const Language wanted : {language, Language::en}) {
        const auto found = std::ranges::find(policy.contents, wanted, &PolicyContent::language);
        if (found != policy.contents.end()) return *found;
    }
    return policy.contents.front();
}

bool has_content(const TermPolicy& policy, Language language) {
    return std::ranges::find(policy.contents, language, &PolicyContent::language) != policy.contents.end();
}

Address accept_page(std::string_view policies, const Visit& visit) {
    Address address("/accept");
    if (!policies.empty()) address = std::move(address).with("policies", policies);
    return with_return(std::move(address), visit);
}

}  // namespace

void ConsentPages::add_to(Pages& pages) {
    pages.form(
        "/accept",
        {.id = "accept",
         .file = "accept.html",
         .title = "accept.title",
         .names = {"policy", "policies", "document", "difference", "changes", "changes_title", "not_now"}},
        [this](const VisitOf<SignedIn>& visit) { return show(visit); },
        [this](const Sent<AcceptForm, VisitOf<SignedIn>>& sent) { return accept(sent); });
    pages.show("/policies/:type/:version",
               {.id = "policy",
                .file = "policy.html",
                .title = "policy.title",
                .names = {"policy", "version", "document", "spoken", "document_language"}},
               [this](const Visit& visit) { return show_text(visit); });
}

awaitable<std::optional<Standing>> ConsentPages::missing(UserId user, std::vector<PolicyType> wanted) {
    const auto standings = co_await acceptances_.standings(user);
    for (const PolicyType type : wanted) {
        const Standing& standing = standings.at(static_cast<std::size_t>(type));
        if (standing.latest && !standing.holds()) co_return standing;
    }
    co_return std::nullopt;
}

awaitable<Result<PageAnswer>> ConsentPages::show(const VisitOf<SignedIn>& visit) {
    const auto next = co_await missing(visit.caller().user(), types_in(visit.query("policies")));
    if (!next) co_return PageAnswer::to(goal_of(visit));
    const auto policy = co_await policies_.find_version(next->type, *next->latest);
    if (!policy || policy->contents.empty()) co_return fail(errors::term_policy_not_found);
    const PolicyContent& content = content_for(*policy, visit.language());
    auto document = co_await texts_.find(*policy, content);
    if (!document) co_return fail(std::move(document.error()));
    const std::string type(name_of(next->type));
    const std::string version = std::to_string(*next->latest);
    View view;
    view.text("policy", locales_.text(visit.language(), "termPolicy.type." + type))
        .text("type", type)
        .text("version", version)
        .text("language", name_of(content.language))
        .text("contentHash", content.digest)
        .text("policies", visit.query("policies"))
        .html("document", std::move(*document));
    if (const auto past = way_past(next->type, visit)) view.text("not_now", past->text());
    co_await add_changes(view, visit, *next, content.language);
    co_return PageAnswer::of(std::move(view));
}

std::optional<Address> ConsentPages::way_past(PolicyType type, const Visit& visit) const {
    if (!acceptances_.is_withdrawable(type) || std::ranges::find(guarded_types, type) != guarded_types.end())
        return std::nullopt;
    // The application at a guarded host may require the policy, and would lead back to this page.
    if (visit.return_to() && visit.return_to()->is_of_host()) return Address("/account");
    std::string others;
    for (const PolicyType other : types_in(visit.query("policies")))
        if (other != type) others.append(others.empty() ? "" : ",").append(name_of(other));
    return others.empty() ? goal_of(visit) : accept_page(others, visit);
}

awaitable<void> ConsentPages::add_changes(View& view, const Visit& visit, const Standing& standing, Language language) {
    if (!standing.accepted || *standing.accepted >= *standing.latest) co_return;
    if (visit.query(changes_field.text()).empty()) {
        const auto accepted = co_await policies_.find_version(standing.type, *standing.accepted);
        if (accepted && has_content(*accepted, language))
            view.text("difference", accept_page(visit.query("policies"), visit).with(changes_field, "shown").text());
        co_return;
    }
    // The text to accept is there, even if the store has lost the earlier one.
    auto changes = co_await best_effort(
        [&] { return diffs_.changes(standing.type, *standing.accepted, *standing.latest, language); });
    if (!changes || !*changes) co_return;
    PolicyChanges& shown = **changes;
    view.text("changes_title", shown.title).html("changes", std::move(shown.lines)).text("shownDiffHash", shown.digest);
}

// What is published is public, and stays so: an acceptance of long ago leads here.
awaitable<Result<PageAnswer>> ConsentPages::show_text(const Visit& visit) {
    const auto type = find_enum<PolicyType>(visit.path("type"));
    const auto version = version_of(visit.path("version"));
    if (!type || !version) co_return fail(errors::route_not_found);
    const auto policy = co_await policies_.find_version(*type, *version);
    if (!policy || policy->status != PolicyStatus::published || policy->contents.empty())
        co_return fail(errors::route_not_found);
    const PolicyContent& content = content_for(*policy, find_language(visit.query("text")).value_or(visit.language()));
    auto document = co_await texts_.find(*policy, content);
    if (!document) co_return fail(std::move(document.error()));
    co_return PageAnswer::of(
        std::move(View()
                      .text("policy", locales_.text(visit.language(), "termPolicy.type." + std::string(name_of(*type))))
                      .text("version", std::to_string(*version))
                      .text("spoken", own_name_of(content.language))
                      .text("document_language", name_of(content.language))
                      .html("document", std::move(*document))));
}

awaitable<Result<PageAnswer>> ConsentPages::accept(const Sent<AcceptForm, VisitOf<SignedIn>>& sent) {
    const auto& visit = sent.visit();
    const AcceptForm& form = sent.form();
    AcceptRequest wanted{.type = form.type,
                         .version = form.version,
                         .language = form.language,
                         .content_hash = form.content_hash,
                         .shown_diff_hash = form.shown_diff_hash};
    auto accepted = co_await acceptances_.accept({.actor = visit.caller().actor(),
                                                  .user = visit.caller().user(),
                                                  .session = visit.caller().session(),
                                                  .language = visit.language()},
                                                 std::move(wanted), cause_of(visit.context()));
    // Sent twice, or accepted in another tab: the visitor has what they want.
    if (!accepted && !accepted.error().is(errors::term_policy_already_accepted))
        co_return fail(std::move(accepted.error()));
    co_return PageAnswer::to(accept_page(visit.query("policies"), visit));
}

}  // namespace consentry
