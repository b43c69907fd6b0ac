// Request and response types of the activity log.
#pragma once

#include <optional>
#include <string>

#include <boost/json/parse.hpp>

#include "base/locales.hpp"
#include "features/activity/repository.hpp"
#include "features/users/user_agent_dto.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"

namespace consentry {

struct ActivityResponse {
    ActivityId id;
    UserId user_id;
    std::string action;
    std::string description;
    std::optional<std::string> ip_address;
    std::optional<UserAgentResponse> user_agent;
    std::optional<boost::json::object> metadata;
    TimePoint created_at;
    UserId created_by;

    static ActivityResponse of(const ActivityEntry& entry, const Locales& locales, Language language) {
        // Version 0.1.0 stored the address and the program of an administrator in the owner's entry, too.
        const bool is_owners = entry.created_by == entry.user;
        ActivityResponse out{
            .id = entry.id,
            .user_id = entry.user,
            .action = entry.action,
            .description = std::string(locales.find(language, "activityLog." + entry.action).value_or(entry.action)),
            .ip_address = is_owners ? entry.ip_address : std::nullopt,
            .user_agent = {},
            .metadata = {},
            .created_at = entry.created_at,
            .created_by = entry.created_by};
        if (is_owners && entry.user_agent) out.user_agent = UserAgentResponse::of(*entry.user_agent);
        if (entry.metadata) out.metadata = boost::json::parse(*entry.metadata).as_object();
        return out;
    }

    static constexpr std::string_view schema_name = "ActivityLogResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &ActivityResponse::id, "Entry ID"),
            field("userId", &ActivityResponse::user_id, "Account ID"),
            field("action", &ActivityResponse::action, "Name of the action, such as `userLoginCredential`"),
            field("description", &ActivityResponse::description, "Localized description of the action"),
            field("ipAddress", &ActivityResponse::ip_address,
                  "IP address of the client; absent if an administrator or the operator acted"),
            field("userAgent", &ActivityResponse::user_agent,
                  "User agent of the client; absent if an administrator or the operator acted"),
            field("metadata", &ActivityResponse::metadata, "IDs and names of the affected objects"),
            field("createdAt", &ActivityResponse::created_at, "Time of the action"),
            field("createdBy", &ActivityResponse::created_by, "Account ID of the actor: the owner or an administrator"),
        };
    }
};

struct ActivityListing {
    static constexpr auto paging = http::Paging::cursor;
};
struct UserActivityListing {
    static constexpr auto paging = http::Paging::offset;
};

}  // namespace consentry
