#include "features/feature_flags/endpoints.hpp"

#include "features/feature_flags/dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using ForReading = Permitted<Subject::feature_flag, Action::read>;
using ForUpdating = Permitted<Subject::feature_flag, Action::read, Action::update>;

template <http::Paging Mode>
awaitable<Result<http::ListPage<FeatureFlagResponse>>> list(FeatureFlags& flags,
                                                            http::List<FeatureFlagListing<Mode>> wanted) {
    return http::reply(
        std::move(wanted), [&flags](const ListQuery& query) { return flags.list(query); }, FeatureFlagResponse::of);
}

}  // namespace

void add_feature_flag_endpoints(http::Router& router, FeatureFlags& flags) {
    using http::FromPath;

    router.get("/admin/feature-flag/list")
        .id("listFeatureFlags")
        .tag("feature-flag")
        .says("List feature flags")
        .message("featureFlag.list")
        .handled_by([&flags](const ForReading&, http::List<FeatureFlagListing<http::Paging::offset>> wanted) {
            return list(flags, std::move(wanted));
        });

    router.patch("/admin/feature-flag/update/:featureFlagId/status")
        .id("updateFeatureFlagStatus")
        .tag("feature-flag")
        .says("Turn a feature on or off, or roll it out to a share of users")
        .describes("Takes effect at the next request.")
        .message("featureFlag.updateStatus")
        .may_fail({&errors::feature_flag_not_found})
        .handled_by([&flags](const ForUpdating& caller, const http::RequestContext& context,
                             FromPath<FeatureFlagPath> path, FeatureFlagStatusRequest body) {
            return http::reply<FeatureFlagResponse>(flags.update_status(caller.actor(), path->flag_id, body.is_enabled,
                                                                        body.rollout_percent, cause_of(context)));
        });

    router.put("/admin/feature-flag/update/:featureFlagId/metadata")
        .id("updateFeatureFlagMetadata")
        .tag("feature-flag")
        .says("Turn parts of a feature on or off")
        .describes("Takes effect at the next request.")
        .message("featureFlag.updateMetadata")
        .may_fail({&errors::feature_flag_not_found, &errors::feature_flag_invalid_metadata})
        .handled_by([&flags](const ForUpdating& caller, const http::RequestContext& context,
                             FromPath<FeatureFlagPath> path, FeatureFlagMetadataRequest body) {
            return http::reply<FeatureFlagResponse>(
                flags.update_metadata(caller.actor(), path->flag_id, std::move(body.metadata), cause_of(context)));
        });

    router.get("/system/feature-flag/list")
        .id("listFeatureFlagsForSystem")
        .tag("feature-flag")
        .says("List feature flags for other services")
        .message("featureFlag.list")
        .with_system_key()
        .handled_by([&flags](http::List<FeatureFlagListing<http::Paging::cursor>> wanted) {
            return list(flags, std::move(wanted));
        });
}

}  // namespace consentry
