#include "features/term_policies/endpoints.hpp"

#include "features/term_policies/request_dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using http::Done;
using http::FromPath;
using http::NoContent;
using http::RequestContext;
using ForReading = Permitted<Subject::term_policy, Action::read>;
using ForCreating = Permitted<Subject::term_policy, Action::read, Action::create>;
using ForUpdating = Permitted<Subject::term_policy, Action::read, Action::update>;
using ForUploading = Permitted<Subject::term_policy, Action::read, Action::create, Action::update>;
using ForDeleting = Permitted<Subject::term_policy, Action::read, Action::erase>;
using Listed = http::List<TermPolicyListing>;

TermPolicyResponse shown(const TermPolicies& policies, const TermPolicy& policy, bool for_admins) {
    return TermPolicyResponse::of(policy, policies.paths(), policies.store(), for_admins);
}

// Responds with a policy that was just changed.
auto drafted(const TermPolicies& policies) {
    return [&policies](const TermPolicy& policy) { return shown(policies, policy, true); };
}

awaitable<Result<http::ListPage<TermPolicyResponse>>> list(TermPolicies& policies, bool for_admins, Listed wanted) {
    ListQuery query = wanted.query();
    // Anonymous callers see only published policies, whatever filter they send (DOC-3).
    if (!for_admins)
        query.conditions.push_back({.expression = "status", .values = {std::string(name_of(PolicyStatus::published))}});
    const auto found = co_await policies.list(std::move(query));
    co_return wanted.page(found, [&](const TermPolicy& policy) { return shown(policies, policy, for_admins); });
}

void add_lists(http::Router& router, TermPolicies& policies) {
    router.get("/term-policy/list")
        .also_at("/public/term-policy/list")
        .id("listTermPolicies")
        .tag("term-policy")
        .says("List policies")
        .describes(
            "Returns published policies; with the access token of an administrator who has `termPolicy:read`, also "
            "drafts. A token that is sent must be valid.")
        .message("termPolicy.list")
        .handled_by([&policies](const Visitor& caller, Listed wanted) {
            return list(policies, caller.may({Subject::term_policy, Action::read}), std::move(wanted));
        });

    router.get("/admin/term-policy/list")
        .id("listTermPoliciesForAdmins")
        .tag("term-policy")
        .says("List policies, including drafts")
        .message("termPolicy.list")
        .handled_by([&policies](const ForReading&, Listed wanted) { return list(policies, true, std::move(wanted)); });
}

void add_drafts(http::Router& router, TermPolicies& policies) {
    router.post("/term-policy/generate/content/presign")
        .also_at("/admin/term-policy/generate/content/presign")
        .id("presignTermPolicyContent")
        .tag("term-policy")
        .says("Get an upload URL for a policy text")
        .describes(
            "PUT the file to the URL with the media type in the response. Then send key and size when you create or "
            "change the draft.")
        .message("termPolicy.generateContentPresign")
        .may_fail({&errors::term_policy_status_invalid, &errors::term_policy_busy})
        .handled_by([&policies](const ForUploading&, ContentPresignRequest body) {
            return http::reply<PresignResponse>(
                policies.presign_upload(body.type, body.version, body.language, body.size));
        });

    router.post("/term-policy/create")
        .also_at("/admin/term-policy/create")
        .id("createTermPolicy")
        .tag("term-policy")
        .says("Create a draft from uploaded texts")
        .describes(
            "Consentry reads and checks each file. `data.contents` of error 6110 names each language and the reason: "
            "`absent`, `size`, `tooLarge` or `notText`.")
        .message("termPolicy.create")
        .answers(201)
        .may_fail({&errors::term_policy_exist, &errors::term_policy_content_invalid, &errors::term_policy_busy})
        .handled_by([&policies](const ForCreating& caller, const RequestContext& context,
                                TermPolicyCreateRequest body) {
            return http::reply(policies.create(caller.actor(), body.wanted(), cause_of(context)), drafted(policies));
        });

    router.erase("/term-policy/delete/:termPolicyId")
        .also_at("/admin/term-policy/delete/:termPolicyId")
        .id("deleteTermPolicy")
        .tag("term-policy")
        .says("Delete a draft and its texts")
        .describes("Published policies cannot be deleted.")
        .message("termPolicy.delete")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_status_invalid, &errors::term_policy_busy})
        .handled_by([&policies](const ForDeleting& caller, const RequestContext& context,
                                FromPath<TermPolicyPath> path) {
            return http::reply(policies.erase(caller.actor(), path->policy_id, cause_of(context)), drafted(policies));
        });
}

void add_contents(http::Router& router, TermPolicies& policies) {
    router.put("/term-policy/update/:termPolicyId/content/add")
        .also_at("/admin/term-policy/update/:termPolicyId/content/add")
        .id("addTermPolicyContent")
        .tag("term-policy")
        .says("Add a language to a draft")
        .message("termPolicy.addContent")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_status_invalid,
                   &errors::term_policy_content_exist, &errors::term_policy_content_invalid, &errors::term_policy_busy})
        .handled_by([&policies](const ForUpdating& caller, const RequestContext& context, FromPath<TermPolicyPath> path,
                                ContentRequest body) {
            return http::reply<Done>(
                policies.add_content(caller.actor(), path->policy_id, body.file(), cause_of(context)));
        });

    router.put("/term-policy/update/:termPolicyId/content/update")
        .also_at("/admin/term-policy/update/:termPolicyId/content/update")
        .id("updateTermPolicyContent")
        .tag("term-policy")
        .says("Replace a text of a draft")
        .message("termPolicy.updateContent")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_status_invalid,
                   &errors::term_policy_content_not_found, &errors::term_policy_content_invalid,
                   &errors::term_policy_busy})
        .handled_by([&policies](const ForUpdating& caller, const RequestContext& context, FromPath<TermPolicyPath> path,
                                ContentRequest body) {
            return http::reply<Done>(
                policies.update_content(caller.actor(), path->policy_id, body.file(), cause_of(context)));
        });

    router.erase("/term-policy/update/:termPolicyId/content/remove")
        .also_at("/admin/term-policy/update/:termPolicyId/content/remove")
        .id("removeTermPolicyContent")
        .tag("term-policy")
        .says("Remove a language from a draft")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_status_invalid,
                   &errors::term_policy_content_not_found, &errors::term_policy_busy})
        .handled_by([&policies](const ForUpdating& caller, const RequestContext& context, FromPath<TermPolicyPath> path,
                                ContentRemovalRequest body) {
            return http::reply<NoContent>(
                policies.remove_content(caller.actor(), path->policy_id, body.language, cause_of(context)));
        });

    router.post("/term-policy/get/:termPolicyId/content/:language")
        .also_at("/admin/term-policy/get/:termPolicyId/content/:language")
        .id("getTermPolicyContent")
        .tag("term-policy")
        .says("Get a download URL for a policy text")
        .describes("For a published policy this is the public URL, which does not expire.")
        .message("termPolicy.getContent")
        .changes_nothing()
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_content_not_found})
        .handled_by([&policies](const ForReading&, FromPath<TermPolicyContentPath> path) {
            return http::reply<PresignResponse>(policies.presign_download(path->policy_id, path->language));
        });
}

void add_processing(http::Router& router, TermPolicies& policies) {
    router.put("/term-policy/update/:termPolicyId/processing")
        .also_at("/admin/term-policy/update/:termPolicyId/processing")
        .id("updateTermPolicyProcessing")
        .tag("term-policy")
        .says("Replace or remove a draft's description of the processing of personal data")
        .describes("In the terms of ISO/IEC TS 27560. Published and hashed with the version, and part of records.")
        .message("termPolicy.updateProcessing")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_status_invalid, &errors::term_policy_busy})
        .handled_by([&policies](const ForUpdating& caller, const RequestContext& context, FromPath<TermPolicyPath> path,
                                TermPolicyProcessingRequest body) {
            std::optional<std::string> text;
            if (body.processing) text = processing_text(*body.processing);
            return http::reply<Done>(
                policies.update_processing(caller.actor(), path->policy_id, std::move(text), cause_of(context)));
        });
}

void add_publication(http::Router& router, TermPolicies& policies) {
    router.get("/admin/term-policy/impact/:termPolicyId")
        .id("previewTermPolicyImpact")
        .tag("term-policy")
        .says("Preview the impact of a publication")
        .describes(
            "Returns how many users who are admitted now would have to accept, now or after the grace period, if the "
            "change is material. The first version of a type counts all active users; it stops them where your service "
            "requires the type. Reads every account: the more there are, the longer the response takes.")
        .message("termPolicy.impact")
        .may_fail({&errors::term_policy_not_found})
        .handled_by([&policies](const ForReading&, const RequestContext& context, FromPath<TermPolicyPath> path) {
            // With many millions of accounts, all portions together take longer than a request may.
            const auto step = [time = context.request.time] { time->renew(); };
            return http::reply(policies.impact(path->policy_id, step), [](const PolicyImpact& counted) {
                return PolicyImpactResponse{counted.affected_users, counted.active_users};
            });
        });

    router.patch("/term-policy/publish/:termPolicyId")
        .also_at("/admin/term-policy/publish/:termPolicyId")
        .id("publishTermPolicy")
        .tag("term-policy")
        .says("Publish a draft")
        .describes(
            "Cannot be undone. The new status and all languages become public together, or not at all. If this is the "
            "highest version of its type, every user must accept again and Consentry notifies them by email, unless "
            "the body says that the change is not material. The body is optional. Error "
            "6110 means that a file is not the one checked earlier; `data.contents` names each language and whether it "
            "is absent or changed. Error 6114 means that a text still contains a placeholder; `data.contents` names "
            "each language and its `placeholders`. Error 6117 means that no earlier version is published, so the "
            "change "
            "must be material. Error 6121 means that, for the same reason, it cannot have a grace period.")
        .message("termPolicy.publish")
        .may_fail({&errors::term_policy_not_found, &errors::term_policy_status_invalid,
                   &errors::term_policy_content_empty, &errors::term_policy_content_invalid,
                   &errors::term_policy_placeholders_unfilled, &errors::term_policy_busy,
                   &errors::term_policy_material_required, &errors::term_policy_grace_not_allowed})
        .handled_by([&policies](const ForUpdating& caller, const RequestContext& context, FromPath<TermPolicyPath> path,
                                TermPolicyPublishRequest body) {
            return http::reply<Done>(
                policies.publish(caller.actor(), path->policy_id, cause_of(context), body.terms()));
        });
}

}  // namespace

void add_term_policy_endpoints(http::Router& router, TermPolicies& policies) {
    add_lists(router, policies);
    add_drafts(router, policies);
    add_contents(router, policies);
    add_processing(router, policies);
    add_publication(router, policies);
}

}  // namespace consentry
