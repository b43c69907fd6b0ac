// Shapes of the parts' health on the wire.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/schema/fields.hpp"

namespace consentry {

enum class HealthState { up, down };
enum class HealthStatus { ok };

}  // namespace consentry

template <>
struct consentry::http::EnumNames<consentry::HealthState> {
    static constexpr std::array names{std::pair{HealthState::up, std::string_view{"up"}},
                                      std::pair{HealthState::down, std::string_view{"down"}}};
};
template <>
struct consentry::http::EnumNames<consentry::HealthStatus> {
    static constexpr std::array names{std::pair{HealthStatus::ok, std::string_view{"ok"}}};
};

namespace consentry {

struct HealthCheck {
    HealthState status = HealthState::up;
    std::optional<std::string> message = {};

    static constexpr std::string_view schema_name = "HealthCheckResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("status", &HealthCheck::status, "up or down"),
                          field("message", &HealthCheck::message, "What was measured")};
    }
};

// A service that is not well answers 503 instead, without details.
template <class Checks>
struct HealthReport {
    HealthStatus status = HealthStatus::ok;
    Checks info = {};
    Checks error = {};
    Checks details = {};

    static constexpr std::string_view schema_name = Checks::report_name;
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("status", &HealthReport::status, "ok"),
                          field("info", &HealthReport::info, "What is up"),
                          field("error", &HealthReport::error, "What is down"),
                          field("details", &HealthReport::details, "All that was looked at")};
    }
};

struct ServiceChecks {
    std::optional<HealthCheck> database;
    std::optional<HealthCheck> cache;

    static constexpr std::string_view schema_name = "HealthChecksResponseDto";
    static constexpr std::string_view report_name = "HealthResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("database", &ServiceChecks::database, "Where accounts and sessions lie"),
                          field("cache", &ServiceChecks::cache, "Where challenges lie")};
    }
};

struct DatabaseChecks {
    std::optional<HealthCheck> database;
    std::optional<HealthCheck> redis;

    static constexpr std::string_view schema_name = "HealthDatabaseChecksResponseDto";
    static constexpr std::string_view report_name = "HealthDatabaseResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("database", &DatabaseChecks::database, "Where accounts and sessions lie"),
                          field("redis", &DatabaseChecks::redis, "The cache, whichever engine it has")};
    }
};

struct AwsChecks {
    std::optional<HealthCheck> s3_public_bucket;
    std::optional<HealthCheck> s3_private_bucket;
    std::optional<HealthCheck> ses;

    static constexpr std::string_view schema_name = "HealthAwsChecksResponseDto";
    static constexpr std::string_view report_name = "HealthAwsResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("s3PublicBucket", &AwsChecks::s3_public_bucket, "Where published files lie, in S3 or not"),
            field("s3PrivateBucket", &AwsChecks::s3_private_bucket, "Where drafts lie, in S3 or not"),
            field("ses", &AwsChecks::ses, "Whether the last mail left, by whichever way")};
    }
};

struct ThirdPartyChecks {
    std::optional<HealthCheck> sentry;

    static constexpr std::string_view schema_name = "HealthThirdPartyChecksResponseDto";
    static constexpr std::string_view report_name = "HealthThirdPartyResponseDto";
    static constexpr auto fields() {
        return std::tuple{
            http::field("sentry", &ThirdPartyChecks::sentry, "Whether the last report of an error arrived")};
    }
};

struct InstanceChecks {
    std::optional<HealthCheck> memory_rss;
    std::optional<HealthCheck> memory_heap;
    std::optional<HealthCheck> storage;

    static constexpr std::string_view schema_name = "HealthInstanceChecksResponseDto";
    static constexpr std::string_view report_name = "HealthInstanceResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("memoryRss", &InstanceChecks::memory_rss, "Resident memory of the process"),
                          field("memoryHeap", &InstanceChecks::memory_heap, "What of it is allocated"),
                          field("storage", &InstanceChecks::storage, "The file system of the data folder")};
    }
};

}  // namespace consentry
