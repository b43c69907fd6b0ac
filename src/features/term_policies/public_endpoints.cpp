#include "crypto/digest.hpp"
#include "features/term_policies/diff_page.hpp"
#include "features/term_policies/endpoints.hpp"
#include "features/term_policies/publication_record.hpp"
#include "features/term_policies/request_dto.hpp"
#include "http/endpoint.hpp"
#include "http/etag.hpp"

namespace consentry {
namespace {

using http::FromPath;
using http::Raw;

// Published versions never change. The exact bytes matter: a reader who has their digest, from the consent log or from
// an acceptance, compares it.
Raw exact(std::string_view type, std::string body) {
    Raw out{.content_type = std::string(type), .body = std::move(body)};
    out.cache_control = "public, max-age=31536000, immutable, no-transform";
    out.etag = http::strong_etag(to_base64url(crypto::sha256(out.body)));
    return out;
}

awaitable<Result<TermPolicy>> published(TermPolicies& policies, PublicationPath wanted) {
    auto policy = co_await policies.find_version(wanted.type, wanted.version);
    if (!policy || policy->status != PolicyStatus::published) co_return fail(errors::term_policy_not_found);
    co_return std::move(*policy);
}

awaitable<Result<Raw>> record(TermPolicies& policies, PublicationPath wanted) {
    auto policy = co_await published(policies, wanted);
    if (!policy) co_return fail(std::move(policy.error()));
    co_return exact("application/json; charset=utf-8", publication_text(*policy));
}

awaitable<Result<Raw>> processing(TermPolicies& policies, PublicationPath wanted) {
    auto policy = co_await published(policies, wanted);
    if (!policy) co_return fail(std::move(policy.error()));
    if (!policy->processing) co_return fail(errors::term_policy_content_not_found);
    co_return exact("application/json; charset=utf-8", *policy->processing);
}

// Without a language in the address, the page is in that of the caller.
awaitable<Result<Raw>> comparison(PolicyDiffs& diffs, DiffPath wanted, std::optional<Language> language,
                                  Language of_caller) {
    auto page = co_await diffs.page(wanted.type, wanted.from, wanted.to, language.value_or(of_caller));
    if (!page) co_return fail(std::move(page.error()));
    Raw out = exact("text/html; charset=utf-8", std::move(*page));
    out.content_security_policy = diff_page_policy();
    if (language) co_return out;
    out.cache_control = "no-cache, no-transform";
    out.vary.language = true;
    co_return out;
}

}  // namespace

void add_public_policy_endpoints(http::Router& router, TermPolicies& policies, PolicyDiffs& diffs) {
    router.get("/public/term-policy/publication/:type/:version")
        .id("getTermPolicyPublication")
        .tag("term-policy")
        .says("Get the record of a publication")
        .describes(
            "Public. JSON with the hashes of all texts, the time, and whether the change was material. The entry of "
            "the publication in the consent log names the SHA-256 of exactly these bytes.")
        .answers_with("application/json")
        .with_etag()
        .may_fail({&errors::term_policy_not_found})
        .handled_by([&policies](FromPath<PublicationPath> path) { return record(policies, path.value); });

    router.get("/public/term-policy/processing/:type/:version")
        .id("getTermPolicyProcessing")
        .tag("term-policy")
        .says("Get a version's description of the processing of personal data")
        .describes("Public. The record of the publication names the SHA-256 of exactly these bytes.")
        .answers_with("application/json")
        .with_etag()
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_content_not_found})
        .handled_by([&policies](FromPath<PublicationPath> path) { return processing(policies, path.value); });

    router.get("/public/term-policy/diff/:type/:from/:to")
        .id("getTermPolicyDiff")
        .tag("term-policy")
        .says("Show users what changed between two versions")
        .describes(
            "Public. A page without scripts. With `language`, its bytes never change; without it, the page is in the "
            "language of the request. A client that shows it can send its SHA-256 as `shownDiffHash` when the user "
            "accepts.")
        .answers_with("text/html")
        .with_etag()
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_content_not_found})
        .handled_by(
            [&diffs](const http::RequestContext& context, FromPath<DiffPath> path, http::FromQuery<DiffQuery> query) {
                return comparison(diffs, path.value, query->language, context.language);
            });
}

}  // namespace consentry
