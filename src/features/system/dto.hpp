// Shapes of the service's own state on the wire.
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
        return std::tuple{field("date", &HelloDate::date, "Now"), field("iso", &HelloDate::iso, "The same as text"),
                          field("timestamp", &HelloDate::timestamp, "The same in milliseconds since 1970")};
    }
};

struct HelloApp {
    std::string name;
    std::string env;
    std::string timezone;

    static constexpr std::string_view schema_name = "HelloAppResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("name", &HelloApp::name, "Of this deployment"),
                          field("env", &HelloApp::env, "local, development, staging or production"),
                          field("timezone", &HelloApp::timezone, "For display; all times are UTC")};
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
            field("passwordAttempt", &HelloAuth::password_attempt, "Whether wrong passwords are counted"),
            field("passwordMaxAttempt", &HelloAuth::password_max_attempt, "How many lock"),
            field("passwordExpiredInSeconds", &HelloAuth::password_expired_in_seconds, "0: never"),
            field("passwordExpiredTemporaryInSeconds", &HelloAuth::password_expired_temporary_in_seconds,
                  "Of temporary passwords"),
            field("passwordPeriodInSeconds", &HelloAuth::password_period_in_seconds, "How long reuse is barred")};
    }
};

struct HelloMessage {
    std::vector<std::string> available_language;
    std::string default_language;

    static constexpr std::string_view schema_name = "HelloMessageResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("availableLanguage", &HelloMessage::available_language, "For x-custom-lang"),
                          field("defaultLanguage", &HelloMessage::default_language, "Without it")};
    }
};

struct HelloRequest {
    std::int64_t timeout_in_ms = 0;
    std::int64_t body_json_limit_in_bytes = 0;
    std::int64_t body_text_limit_in_bytes = 0;
    std::int64_t body_urlencoded_limit_in_bytes = 0;
    std::int64_t throttle_ttl_in_ms = 0;
    std::int64_t throttle_limit = 0;

    static constexpr std::string_view schema_name = "HelloRequestResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("timeoutInMs", &HelloRequest::timeout_in_ms, "Until a request is given up"),
            field("bodyJsonLimitInBytes", &HelloRequest::body_json_limit_in_bytes, "Of JSON bodies"),
            field("bodyTextLimitInBytes", &HelloRequest::body_text_limit_in_bytes, "Of text bodies"),
            field("bodyUrlencodedLimitInBytes", &HelloRequest::body_urlencoded_limit_in_bytes, "Of form bodies"),
            field("throttleTtlInMs", &HelloRequest::throttle_ttl_in_ms, "The stretch that the rate limit speaks of"),
            field("throttleLimit", &HelloRequest::throttle_limit, "Requests to one operation in it; 0: no limit")};
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

}  // namespace consentry
