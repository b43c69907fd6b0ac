#include "features/acceptances/endpoints.hpp"

#include "base/errors.hpp"
#include "features/acceptances/dto.hpp"
#include "features/consent_log/dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

ConsentCaller consent_caller(const SignedIn& caller, const http::RequestContext& context) {
    return {.actor = caller.actor(), .user = caller.user(), .session = caller.session(), .language = context.language};
}

// `Answer` is a ReceiptResponse, or Done while the log is off.
template <class Answer>
void add_changing_endpoints(http::Router& router, Acceptances& acceptances) {
    router.post("/user/term-policy/accept")
        .also_at("/shared/user/term-policy/accept")
        .id("acceptTermPolicy")
        .tag("term-policy")
        .says("Accept the latest version of a policy")
        .describes(
            "Clients that show the text should send its version, language or hash. Consentry then refuses "
            "the acceptance if another version was published while the user was reading, and names the new version in "
            "`data.policies`.")
        .message("termPolicy.accept")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_already_accepted, &errors::term_policy_outdated,
                   &errors::term_policy_content_not_found, &errors::term_policy_diff_outdated})
        .handled_by([&acceptances](const SignedIn& caller, const http::RequestContext& context, AcceptRequest body) {
            return http::reply<Answer>(
                acceptances.accept(consent_caller(caller, context), std::move(body), cause_of(context)));
        });

    router.post("/user/term-policy/withdraw")
        .also_at("/shared/user/term-policy/withdraw")
        .id("withdrawTermPolicy")
        .tag("term-policy")
        .says("Withdraw an acceptance")
        .describes("The earlier acceptance remains in the history.")
        .message("termPolicy.withdraw")
        .may_fail({&errors::term_policy_withdraw_not_allowed, &errors::term_policy_not_accepted})
        .handled_by([&acceptances](const SignedIn& caller, const http::RequestContext& context, WithdrawRequest body) {
            return http::reply<Answer>(
                acceptances.withdraw(consent_caller(caller, context), body.type, cause_of(context)));
        });
}

}  // namespace

void add_acceptance_endpoints(http::Router& router, Acceptances& acceptances) {
    if (acceptances.gives_receipts())
        add_changing_endpoints<ReceiptResponse>(router, acceptances);
    else
        add_changing_endpoints<http::Done>(router, acceptances);

    router.get("/shared/user/term-policy/record/:acceptanceId")
        .also_at("/user/term-policy/record/:acceptanceId")
        .id("getConsentRecord")
        .tag("term-policy")
        .says("Get the record of an acceptance or withdrawal")
        .describes(
            "JSON-LD in the terms of the Data Privacy Vocabulary. For types that can be withdrawn it is a consent "
            "record as in ISO/IEC TS 27560; it names the schema if controller and processing are complete. For others "
            "it is a receipt of the acceptance in the same form.")
        .answers_with("application/ld+json")
        .may_fail({&errors::term_policy_acceptance_not_found})
        .handled_by([&acceptances](const SignedIn& caller, http::FromPath<ReceiptPath> path) {
            return http::reply(acceptances.record(caller.user(), path->acceptance_id), [](std::string record) {
                return http::Raw{.content_type = "application/ld+json; charset=utf-8", .body = std::move(record)};
            });
        });

    router.get("/user/term-policy/list/accepted")
        .also_at("/shared/user/term-policy/list/accepted")
        .id("listAcceptedTermPolicies")
        .tag("term-policy")
        .says("List your acceptances and withdrawals")
        .describes(
            "The whole history, newest first. Each entry names the version, the language shown, and the hash of each "
            "published text.")
        .message("termPolicy.listAccepted")
        .handled_by([&acceptances](const SignedIn& caller, http::List<AcceptanceListing> wanted) {
            return http::reply(
                std::move(wanted),
                [&acceptances, user = caller.user()](const ListQuery& query) { return acceptances.list(user, query); },
                [](const AcceptanceResponse& acceptance) { return acceptance; });
        });
}

}  // namespace consentry
