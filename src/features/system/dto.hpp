// Wire formats of the service's own state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "http/schema/fields.hpp"

namespace consentry {

struct HelloDate {
    TimePoint date;
    std::string iso;
    std::int64_t timestamp = 0;

    static constexpr std::string_view schema_name = "HelloDateResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("date", &HelloDate::date, "Current time"),
                          field("iso", &HelloDate::iso, "Current time as ISO 8601 text"),
                          field("timestamp", &HelloDate::timestamp, "Current time in milliseconds since 1970")};
    }
};

struct HelloApp {
    std::string name;
    std::string env;
    std::string timezone;

    static constexpr std::string_view schema_name = "HelloAppResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("name", &HelloApp::name, "Name of this deployment"),
                          field("env", &HelloApp::env, "Environment: local, development, staging or production"),
                          field("timezone", &HelloApp::timezone, "Time zone for display; all times are UTC")};
    }
};

struct HelloAuth {
    bool password_attempt = true;
    std::int64_t password_max_attempt = 0;
    std::int64_t password_expired_in_seconds = 0;
    std::int64_t password_expired_temporary_in_seconds = 0;
    std::int64_t password_period_in_seconds = 0;

    static constexpr std::string_view schema_name = "HelloAuthResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("passwordAttempt", &HelloAuth::password_attempt, "Whether failed password attempts are counted"),
            field("passwordMaxAttempt", &HelloAuth::password_max_attempt, "Failed attempts before a lock"),
            field("passwordExpiredInSeconds", &HelloAuth::password_expired_in_seconds,
                  "Password lifetime in seconds; 0: unlimited"),
            field("passwordExpiredTemporaryInSeconds", &HelloAuth::password_expired_temporary_in_seconds,
                  "Lifetime of temporary passwords in seconds"),
            field("passwordPeriodInSeconds", &HelloAuth::password_period_in_seconds,
                  "Period in seconds during which a password cannot be reused")};
    }
};

struct HelloMessage {
    std::vector<std::string> available_language;
    std::string default_language;

    static constexpr std::string_view schema_name = "HelloMessageResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("availableLanguage", &HelloMessage::available_language, "Languages for `x-custom-lang`"),
            field("defaultLanguage", &HelloMessage::default_language, "Language of requests without `x-custom-lang`")};
    }
};

struct HelloRequest {
    std::int64_t timeout_in_ms = 0;
    std::int64_t body_json_limit_in_bytes = 0;
    std::int64_t body_text_limit_in_bytes = 0;
    std::int64_t body_urlencoded_limit_in_bytes = 0;
    std::int64_t body_application_octet_stream_limit_in_bytes = 0;
    std::int64_t throttle_ttl_in_ms = 0;
    std::int64_t throttle_limit = 0;

    static constexpr std::string_view schema_name = "HelloRequestResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("timeoutInMs", &HelloRequest::timeout_in_ms, "Request timeout in milliseconds"),
            field("bodyJsonLimitInBytes", &HelloRequest::body_json_limit_in_bytes, "Maximum size of JSON bodies"),
            field("bodyTextLimitInBytes", &HelloRequest::body_text_limit_in_bytes, "Maximum size of text bodies"),
            field("bodyUrlencodedLimitInBytes", &HelloRequest::body_urlencoded_limit_in_bytes,
                  "Maximum size of form bodies"),
            field("bodyApplicationOctetStreamLimitInBytes", &HelloRequest::body_application_octet_stream_limit_in_bytes,
                  "Maximum size of a file that is a whole body, such as a policy text"),
            field("throttleTtlInMs", &HelloRequest::throttle_ttl_in_ms, "Rate limit window in milliseconds"),
            field("throttleLimit", &HelloRequest::throttle_limit, "Requests per operation and window; 0: no limit")};
    }
};

struct HelloResponse {
    HelloDate date;
    HelloApp app;
    HelloAuth auth;
    HelloMessage message;
    HelloRequest request;

    static constexpr std::string_view schema_name = "HelloResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("date", &HelloResponse::date, ""), field("app", &HelloResponse::app, ""),
                          field("auth", &HelloResponse::auth, ""), field("message", &HelloResponse::message, ""),
                          field("request", &HelloResponse::request, "")};
    }
};

struct DocumentationQuery {
    std::optional<bool> aliases;

    static constexpr std::string_view schema_name = "DocumentationQuery";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("aliases", &DocumentationQuery::aliases, "`true` adds every alias as an operation, tagged `alias`")};
    }
};

}  // namespace consentry
