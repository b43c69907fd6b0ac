// Request and response types of API keys.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "features/api_keys/api_keys.hpp"
#include "features/users/generations.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct ApiKeyResponse {
    ApiKeyId id;
    std::string key;
    std::string name;
    ApiKeyType type = ApiKeyType::default_;
    bool is_active = false;
    std::optional<TimePoint> start_at;
    std::optional<TimePoint> end_at;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    static ApiKeyResponse of(const ApiKeyRecord& record) {
        return {.id = record.id,
                .key = record.key,
                .name = record.name,
                .type = record.type,
                .is_active = record.is_active,
                .start_at = record.window ? record.window->start_at : std::nullopt,
                .end_at = record.window ? std::optional(record.window->end_at) : std::nullopt,
                .created_at = record.created_at,
                .created_by = record.created_by,
                .updated_at = record.updated_at,
                .updated_by = record.updated_by};
    }

    static constexpr std::string_view schema_name = "ApiKeyResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &ApiKeyResponse::id, "API key ID"),
            field("key", &ApiKeyResponse::key, "Part of `x-api-key` before the colon"),
            field("name", &ApiKeyResponse::name, "Name of the key"),
            field("type", &ApiKeyResponse::type,
                  "`system` keys open the operations for other services, `default` keys all others"),
            field("isActive", &ApiKeyResponse::is_active, "Whether the key is enabled"),
            field("startAt", &ApiKeyResponse::start_at, "Start of validity"),
            field("endAt", &ApiKeyResponse::end_at, "End of validity"),
            field("createdAt", &ApiKeyResponse::created_at, "Creation time"),
            field("createdBy", &ApiKeyResponse::created_by,
                  "Account ID of the creator; absent for keys created on the command line"),
            field("updatedAt", &ApiKeyResponse::updated_at, "Time of the last change"),
            field("updatedBy", &ApiKeyResponse::updated_by, "Account ID of the user who made the last change"),
        };
    }
};

struct ApiKeySecretResponse {
    ApiKeyId id;
    std::string key;
    std::string secret;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    static ApiKeySecretResponse of(IssuedApiKey issued) {
        return {.id = issued.record.id,
                .key = std::move(issued.record.key),
                .secret = std::move(issued.secret),
                .created_at = issued.record.created_at,
                .created_by = issued.record.created_by,
                .updated_at = issued.record.updated_at,
                .updated_by = issued.record.updated_by};
    }

    static constexpr std::string_view schema_name = "ApiKeySecretResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &ApiKeySecretResponse::id, "API key ID"),
            field("key", &ApiKeySecretResponse::key, "Part of `x-api-key` before the colon"),
            field("secret", &ApiKeySecretResponse::secret, "Part of `x-api-key` after the colon; never shown again"),
            field("createdAt", &ApiKeySecretResponse::created_at, "Creation time"),
            field("createdBy", &ApiKeySecretResponse::created_by,
                  "Account ID of the creator; absent for keys created on the command line"),
            field("updatedAt", &ApiKeySecretResponse::updated_at, "Time of the last change"),
            field("updatedBy", &ApiKeySecretResponse::updated_by, "Account ID of the user who made the last change"),
        };
    }
};

inline constexpr std::string_view start_at_description =
    "Start of validity; must be in the future and requires `endAt`. Rounded down to the start of its day in the "
    "service's time zone. Default: valid immediately";
inline constexpr std::string_view end_at_description =
    "End of validity; today or later, and not before `startAt`. Rounded up to the end of its day in the service's time "
    "zone";

inline void check_order(TimePoint start_at, TimePoint end_at, Report& report) {
    if (end_at < start_at) report.add("isNotBefore", "endAt", {{"other", "startAt"}});
}

struct ApiKeyCreateRequest {
    std::string name;
    ApiKeyType type = ApiKeyType::default_;
    std::optional<TimePoint> start_at;
    std::optional<TimePoint> end_at;

    std::optional<ApiKeyWindow> window() const {
        if (!end_at) return std::nullopt;
        return ApiKeyWindow{start_at, *end_at};
    }

    static constexpr std::string_view schema_name = "ApiKeyCreateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("name", &ApiKeyCreateRequest::name, "Name of the key", http::not_empty, http::one_line_name,
                  http::max_length(100)),
            field("type", &ApiKeyCreateRequest::type,
                  "`system` keys open the operations for other services, `default` keys all others"),
            field("startAt", &ApiKeyCreateRequest::start_at, start_at_description),
            field("endAt", &ApiKeyCreateRequest::end_at, end_at_description),
        };
    }
    static void check(const ApiKeyCreateRequest& request, Report& report) {
        if (!request.start_at) return;
        if (request.end_at)
            check_order(*request.start_at, *request.end_at, report);
        else
            report.add("isNotEmpty", "endAt");
    }
};

struct ApiKeyUpdateRequest {
    std::string name;

    static constexpr std::string_view schema_name = "ApiKeyUpdateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("name", &ApiKeyUpdateRequest::name, "Name of the key", http::not_empty, http::one_line_name,
                  http::max_length(100)),
        };
    }
};

struct ApiKeyDateRequest {
    std::optional<TimePoint> start_at;
    TimePoint end_at;

    static constexpr std::string_view schema_name = "ApiKeyUpdateDateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("startAt", &ApiKeyDateRequest::start_at, start_at_description),
            field("endAt", &ApiKeyDateRequest::end_at, end_at_description),
        };
    }
    static void check(const ApiKeyDateRequest& request, Report& report) {
        if (request.start_at) check_order(*request.start_at, request.end_at, report);
    }
};

struct ApiKeyStatusRequest {
    bool is_active = false;

    static constexpr std::string_view schema_name = "ApiKeyUpdateStatusRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("isActive", &ApiKeyStatusRequest::is_active, "`false` disables the key from the next request on")};
    }
};

struct ApiKeyListing {
    std::optional<bool> is_active;
    std::optional<std::vector<ApiKeyType>> type;

    static constexpr auto paging = http::Paging::offset;
    static constexpr auto filters() {
        return std::tuple{
            http::filter("isActive", &ApiKeyListing::is_active,
                         storage::sql<"(is_active AND ", api_key_current_sql, ")">,
                         "`true`: only enabled keys; `false`: only disabled ones"),
            http::filter("type", &ApiKeyListing::type, "type", "Key types to include"),
        };
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"}};
    static constexpr std::array searchable{http::Searchable{"name", "name"}};
};

struct ApiKeyPath {
    ApiKeyId api_key_id;

    static constexpr std::string_view schema_name = "ApiKeyPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("apiKeyId", &ApiKeyPath::api_key_id, "API key ID")};
    }
};

}  // namespace consentry
