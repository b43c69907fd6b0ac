#include "pages/consent_history_pages.hpp"

#include "base/shown_time.hpp"
#include "features/activity/audit.hpp"
#include "pages/accept_language.hpp"
#include "pages/account_words.hpp"
#include "pages/notes.hpp"
#include "pages/older_lines.hpp"

namespace consentry {
namespace {

constexpr std::int64_t lines_per_page = 20;

}  // namespace

void ConsentHistoryPages::add_to(Pages& pages) {
    pages.show("/account/consents",
               {.id = "accountConsents",
                .file = "account_consents.html",
                .title = "consents.title",
                .names = {"entries", "policy_name", "version", "spoken", "at", "at_iso", "is_accepted", "text_language",
                          "acceptance", "has_entry", "has_proof", "older_at", "older_after", "standing", "policy",
                          "has_log", "has_entries", "has_standing"}},
               [this](const VisitOf<SignedIn>& visit) { return show(visit); });
    const ActionSpec on_their_page{.if_expired = Address("/account/consents")};
    pages.action(
        "/account/consents/withdraw", "accountWithdraw",
        [this](const Sent<WithdrawalForm, VisitOf<SignedIn>>& sent) { return withdraw(sent); }, on_their_page);
    pages.action(
        "/account/consents/record", "accountConsentRecord",
        [this](const Sent<EvidenceForm, VisitOf<SignedIn>>& sent) { return record(sent); }, on_their_page);
    if (log_ == nullptr) return;
    pages.action(
        "/account/consents/receipt", "accountConsentReceipt",
        [this](const Sent<EvidenceForm, VisitOf<SignedIn>>& sent) { return receipt(sent); }, on_their_page);
    pages.action(
        "/account/consents/proof", "accountConsentProof",
        [this](const Sent<EvidenceForm, VisitOf<SignedIn>>& sent) { return proof(sent); }, on_their_page);
}

View ConsentHistoryPages::line_of(const AcceptanceResponse& acceptance, Language language) const {
    View line;
    line.text("policy_name", policy_name(locales_, language, acceptance.term_policy.type))
        .text("version", std::to_string(acceptance.term_policy.version))
        .text("spoken", own_name_of(acceptance.language))
        .text("at", shown_time(acceptance.accepted_at))
        .text("at_iso", to_iso8601(acceptance.accepted_at))
        .flag("is_accepted", acceptance.action == ConsentAction::accepted)
        .text("text_language", name_of(acceptance.language))
        .text("policy", name_of(acceptance.term_policy.type))
        .text("acceptance", acceptance.id.text())
        .flag("has_entry", log_ != nullptr && acceptance.log_state.has_value())
        .flag("has_proof", log_ != nullptr && acceptance.log_state == "published");
    return line;
}

awaitable<Result<PageAnswer>> ConsentHistoryPages::show(const VisitOf<SignedIn>& visit) const {
    const UserId user = visit.caller().user();
    ListQuery query;
    query.order = {{AcceptanceListing::default_column, true}};
    query.limit = lines_per_page;
    query.by_cursor = true;
    query.after = older_than<AcceptanceId>(visit);
    const auto found = co_await acceptances_.list(user, std::move(query));
    std::vector<View> lines;
    lines.reserve(found.items.size());
    for (const AcceptanceResponse& acceptance : found.items) lines.push_back(line_of(acceptance, visit.language()));
    std::vector<View> standing;
    for (const PolicyType type : co_await acceptances_.list_withdrawable(user))
        standing.push_back(std::move(
            View().text("policy", name_of(type)).text("policy_name", policy_name(locales_, visit.language(), type))));
    View view;
    view.flag("has_entries", !lines.empty())
        .flag("has_standing", !standing.empty())
        .flag("has_log", log_ != nullptr)
        .list("entries", std::move(lines))
        .list("standing", std::move(standing));
    add_older<AcceptanceId>(view, found);
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> ConsentHistoryPages::withdraw(const Sent<WithdrawalForm, VisitOf<SignedIn>>& sent) {
    const auto& visit = sent.visit();
    const auto& caller = visit.caller();
    auto withdrawn = co_await acceptances_.withdraw(
        {.actor = caller.actor(), .user = caller.user(), .session = caller.session(), .language = visit.language()},
        sent.form().policy, cause_of(visit.context()));
    // A second click finds it withdrawn already, which is what the visitor wants.
    if (!withdrawn && !withdrawn.error().is(errors::term_policy_not_accepted))
        co_return fail(std::move(withdrawn.error()));
    co_return PageAnswer::to(Address("/account/consents"), tell(PageNote::withdrawn, sent.visit()));
}

awaitable<Result<PageAnswer>> ConsentHistoryPages::receipt(const Sent<EvidenceForm, VisitOf<SignedIn>>& sent) {
    const AcceptanceId id = sent.form().acceptance;
    auto receipt = co_await log_->receipt_of(sent.visit().caller().user(), id);
    if (!receipt) co_return fail(std::move(receipt.error()));
    co_return PageAnswer::of_file("application/jwt", "receipt-" + id.text() + ".jwt", std::move(*receipt));
}

awaitable<Result<PageAnswer>> ConsentHistoryPages::proof(const Sent<EvidenceForm, VisitOf<SignedIn>>& sent) {
    const AcceptanceId id = sent.form().acceptance;
    auto proof = co_await log_->proof_of(sent.visit().caller().user(), id);
    if (!proof) co_return fail(std::move(proof.error()));
    co_return PageAnswer::of_file("text/plain; charset=utf-8", "proof-" + id.text() + ".tlog-proof", std::move(*proof));
}

awaitable<Result<PageAnswer>> ConsentHistoryPages::record(const Sent<EvidenceForm, VisitOf<SignedIn>>& sent) {
    const AcceptanceId id = sent.form().acceptance;
    auto record = co_await acceptances_.record(sent.visit().caller().user(), id);
    if (!record) co_return fail(std::move(record.error()));
    co_return PageAnswer::of_file("application/ld+json; charset=utf-8", "record-" + id.text() + ".jsonld",
                                  std::move(*record));
}

}  // namespace consentry
