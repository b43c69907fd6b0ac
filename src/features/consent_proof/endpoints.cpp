#include "features/consent_proof/endpoints.hpp"

#include "base/errors.hpp"
#include "features/consent_proof/dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

// The evidence shows what the account itself and its sessions show.
using ForExport =
    Permitted<Subject::user, Action::read, Subject::session, Action::read, Subject::term_policy, Action::read>;

}  // namespace

void add_consent_proof_endpoints(http::Router& router, Bundles& bundles) {
    router.get("/admin/consent/export")
        .id("exportConsentLog")
        .tag("admin")
        .says("Export the consent log for an auditor")
        .describes(
            "Returns a ZIP archive with everything that `consentry verify bundle` needs: the signed checkpoint, all "
            "entries or, with a filter, the selected ones with proofs, the evidence about them, and the texts. The "
            "response is streamed, with a `Content-Length`.")
        .answers_with("application/zip")
        .exports_data()
        .may_fail({&errors::term_policy_log_differs, &errors::user_not_found})
        .handled_by([&bundles](const ForExport& caller, const http::RequestContext& context,
                               http::FromQuery<ConsentExportQuery> wanted) {
            // Everything is read once before the answer begins, which may take longer than a request may.
            const auto step = [time = context.request.time] { time->renew(); };
            return http::reply(bundles.make_for(caller.actor(), cause_of(context), wanted->filter(), step),
                               [](Bundle bundle) {
                                   return http::Stream{.content_type = "application/zip",
                                                       .file_name = "consent-log.zip",
                                                       .next = std::move(bundle.next),
                                                       .length = bundle.size};
                               });
        });
}

}  // namespace consentry
