// Request and response types of feature flags.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "features/feature_flags/repository.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

// Describes the values of a flag's switches; which names and types a flag has, the service checks.
struct SwitchValues {
    void describe(boost::json::object& schema) const {
        schema["additionalProperties"] = {{"type", boost::json::array{"string", "number", "boolean"}}};
    }
};

struct FeatureFlagResponse {
    FeatureFlagId id;
    std::string key;
    std::string description;
    bool is_enabled = false;
    std::int64_t rollout_percent = 0;
    std::optional<boost::json::object> metadata;
    TimePoint created_at;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    static FeatureFlagResponse of(const FeatureFlagRecord& flag) {
        return {.id = flag.id,
                .key = flag.key,
                .description = flag.description,
                .is_enabled = flag.is_enabled,
                .rollout_percent = flag.rollout_percent,
                .metadata = flag.metadata.empty() ? std::nullopt : std::optional(flag.metadata),
                .created_at = flag.created_at,
                .updated_at = flag.updated_at,
                .updated_by = flag.updated_by};
    }

    static constexpr std::string_view schema_name = "FeatureFlagResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &FeatureFlagResponse::id, "Feature flag ID"),
            field("key", &FeatureFlagResponse::key, "Name of the flag"),
            field("description", &FeatureFlagResponse::description, "Feature that the flag controls"),
            field("isEnable", &FeatureFlagResponse::is_enabled, "Whether the feature is on"),
            field("rolloutPercent", &FeatureFlagResponse::rollout_percent,
                  "Percentage of signed-in users who have the feature"),
            field("metadata", &FeatureFlagResponse::metadata, "Switches for parts of the feature, by name",
                  SwitchValues{}),
            field("createdAt", &FeatureFlagResponse::created_at, "Creation time"),
            field("updatedAt", &FeatureFlagResponse::updated_at, "Time of the last change"),
            field("updatedBy", &FeatureFlagResponse::updated_by, "Account ID of the user who made the last change"),
        };
    }
};

struct FeatureFlagStatusRequest {
    bool is_enabled = false;
    std::int64_t rollout_percent = 0;

    static constexpr std::string_view schema_name = "FeatureFlagUpdateStatusRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("isEnable", &FeatureFlagStatusRequest::is_enabled, "Whether the feature is on"),
            field("rolloutPercent", &FeatureFlagStatusRequest::rollout_percent,
                  "Percentage of signed-in users who have the feature; raising it only adds users", http::at_least(0),
                  http::at_most(100)),
        };
    }
};

struct FeatureFlagMetadataRequest {
    boost::json::object metadata;

    static constexpr std::string_view schema_name = "FeatureFlagUpdateMetadataRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("metadata", &FeatureFlagMetadataRequest::metadata,
                                "All existing switches, with values of the same types, none empty", SwitchValues{})};
    }
};

template <http::Paging Mode>
struct FeatureFlagListing {
    static constexpr auto paging = Mode;
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"}};
    static constexpr std::array searchable{http::Searchable{"key", "key"}};
};

struct FeatureFlagPath {
    FeatureFlagId flag_id;

    static constexpr std::string_view schema_name = "FeatureFlagPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("featureFlagId", &FeatureFlagPath::flag_id, "Feature flag ID")};
    }
};

}  // namespace consentry
