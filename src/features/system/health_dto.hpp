// Wire formats of component health.
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
struct consentry::EnumNames<consentry::HealthState> {
    static constexpr std::array names{std::pair{HealthState::up, std::string_view{"up"}},
                                      std::pair{HealthState::down, std::string_view{"down"}}};
};
template <>
struct consentry::EnumNames<consentry::HealthStatus> {
    static constexpr std::array names{std::pair{HealthStatus::ok, std::string_view{"ok"}}};
};

namespace consentry {

struct HealthCheck {
    HealthState status = HealthState::up;
    std::optional<std::string> message = {};

    static constexpr std::string_view schema_name = "HealthCheckResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("status", &HealthCheck::status, "`up` or `down`"),
                          field("message", &HealthCheck::message, "Measured value")};
    }
};

// The answer of a healthy service. An unhealthy one answers 503 instead, without details.
template <class Checks>
struct HealthReport {
    HealthStatus status = HealthStatus::ok;
    Checks info = {};
    Checks error = {};
    Checks details = {};

    static constexpr std::string_view schema_name = Checks::report_name;
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("status", &HealthReport::status, "Always `ok`"),
                          field("info", &HealthReport::info, "Components that are up"),
                          field("error", &HealthReport::error, "Components that are down"),
                          field("details", &HealthReport::details, "All checked components")};
    }
};

struct ServiceChecks {
    std::optional<HealthCheck> database;
    std::optional<HealthCheck> cache;

    static constexpr std::string_view schema_name = "HealthChecksResponseDto";
    static constexpr std::string_view report_name = "HealthResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("database", &ServiceChecks::database, "Database: accounts and sessions"),
                          field("cache", &ServiceChecks::cache, "Cache: challenges and session copies")};
    }
};

struct DatabaseChecks {
    std::optional<HealthCheck> database;
    std::optional<HealthCheck> redis;

    static constexpr std::string_view schema_name = "HealthDatabaseChecksResponseDto";
    static constexpr std::string_view report_name = "HealthDatabaseResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("database", &DatabaseChecks::database, "Database: accounts and sessions"),
                          field("redis", &DatabaseChecks::redis, "Cache, whatever its engine")};
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
        return std::tuple{field("s3PublicBucket", &AwsChecks::s3_public_bucket, "Store of published files, S3 or not"),
                          field("s3PrivateBucket", &AwsChecks::s3_private_bucket, "Store of drafts, S3 or not"),
                          field("ses", &AwsChecks::ses, "Whether the last email was accepted, by any transport")};
    }
};

struct ThirdPartyChecks {
    std::optional<HealthCheck> sentry;

    static constexpr std::string_view schema_name = "HealthThirdPartyChecksResponseDto";
    static constexpr std::string_view report_name = "HealthThirdPartyResponseDto";
    static constexpr auto fields() {
        return std::tuple{http::field("sentry", &ThirdPartyChecks::sentry, "Whether the last error report arrived")};
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
                          field("memoryHeap", &InstanceChecks::memory_heap, "Allocated part of that memory"),
                          field("storage", &InstanceChecks::storage, "File system of the data folder")};
    }
};

}  // namespace consentry
