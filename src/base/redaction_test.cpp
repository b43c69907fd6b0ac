#include "base/redaction.hpp"

#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace consentry {
namespace {

using namespace std::string_literals;

std::string json_of(std::string_view body) {
    std::string out;
    append_redacted_json(out, body);
    return out;
}
std::string log_string(std::string_view text, std::size_t bytes_max = 1'024) {
    std::string out;
    append_log_string(out, text, bytes_max);
    return out;
}

TEST(LOG_1, NamesOfSecretsAreKnownInEverySpelling) {
    for (const auto* name : {"password",
                             "newPassword",
                             "oldPassword",
                             "token",
                             "authorization",
                             "bearer",
                             "secret",
                             "credential",
                             "jwt",
                             "x-api-key",
                             "apiKey",
                             "refreshToken",
                             "accessToken",
                             "sessionId",
                             "privateKey",
                             "secretKey",
                             "otp",
                             "recoveryCode",
                             "location",
                             "gps",
                             "coordinates",
                             "latitude",
                             "longitude",
                             "cookie",
                             "cookies",  // the plural is named in the specification
                             "code",
                             "backupCode",
                             "backupCodes",
                             "challengeToken",
                             "otpauthUrl",
                             "idToken",
                             "set-cookie",
                             "PASSWORD",
                             "New_Password",
                             "proxy-authorization",
                             "X-API-KEY",
                             "api_key",
                             "client_secret",
                             "X-Amz-Signature",
                             "X-Amz-Credential",
                             "X-Amz-Security-Token",
                             "presignUrl",
                             "passwd",
                             "temporaryPassword",
                             "credentials"})
        EXPECT_TRUE(is_secret_name(name)) << name;
    for (const auto* name :
         {"email",   "name",     "statusCode", "statusCodeKey", "message",    "requestId",       "path",
          "method",  "country",  "role",       "userId",        "isEnabled",  "language",        "perPage",
          "key",     "property", "",           "tokenType",     "token_type", "passwordAttempt", "mustChangePassword",
          "apiKeyId"})
        EXPECT_FALSE(is_secret_name(name)) << name;
    EXPECT_TRUE(is_secret_name(std::string(65, 'a'))) << "a name that nobody has looked at";
}

std::string with_end(std::string_view rest, std::string_view end) {
    std::string out = "before ";
    append_redacted_json(out, std::string(rest).append(end), end);
    return out;
}

TEST(LOG_1, WhatIsKnownToBeHarmlessAtTheEndIsCopied) {
    constexpr std::string_view end = R"(,"metadata":{"token":"shown","deep":[1,2]}})";
    EXPECT_EQ(with_end(R"({"data":{"token":"x","name":"y"})", end),
              R"(before {"data":{"token":"[REDACTED]","name":"y"},"metadata":{"token":"shown","deep":[1,2]}})");
    // If the known end deviates in any way, it is redacted like the rest of the body.
    const std::string whole = R"(before {"data":1,"metadata":{"token":"[REDACTED]"}})";
    EXPECT_EQ(with_end(R"({"data":1)", R"(,"metadata":{"token":"\u001b[31m"}})"), whole) << "an escape";
    EXPECT_EQ(with_end(R"({"data":1)", ",\"metadata\":{\"token\":\"\xC3\xA4\"}}"), whole) << "not ASCII";
    EXPECT_EQ(with_end(R"({"data":[1)", R"(,"metadata":{"token":"x"}])"), R"(before {"buffer":"[BUFFER]","size":36})")
        << "no JSON";
    EXPECT_EQ(with_end(R"({"data":{"a":1)", R"(,"token":{"b":"x"}}})"),
              R"(before {"data":{"a":1,"token":"[REDACTED]"}})")
        << "the end of another object";
}

TEST(LOG_1, SecretsLeaveNoTraceInJson) {
    EXPECT_EQ(json_of(R"({"email":"a@example.org","password":"x","n":1.50,"b":true,"z":null})"),
              R"({"email":"a@example.org","password":"[REDACTED]","n":1.50,"b":true,"z":null})");
    for (const auto* value : {R"("x")", "1", "-1.5e3", "true", "null", "[1,[2]]", R"({"a":{"b":["c"]}})", "[]", "{}"})
        EXPECT_EQ(json_of(R"({"token":)"s + value + R"(,"a":"b"})"), R"({"token":"[REDACTED]","a":"b"})") << value;
    EXPECT_EQ(json_of(R"({"pass\u0077ord":"x"})"), R"({"password":"[REDACTED]"})") << "an escaped name";
    EXPECT_EQ(json_of(R"([{"secret":"x"},"y"])"), R"([{"secret":"[REDACTED]"},"y"])");
    EXPECT_EQ(json_of(R"({"backupCodes":["A","B"]})"), R"({"backupCodes":"[REDACTED]"})");
}

TEST(LOG_1, LongArraysTellHowLongTheyWere) {
    EXPECT_EQ(json_of("[1,2,3,4,5,6,7,8,9,10]"), "[1,2,3,4,5,6,7,8,9,10]");
    EXPECT_EQ(json_of("[1,2,3,4,5,6,7,8,9,10,11,[12],{\"a\":13}]"), R"([1,2,3,4,5,6,7,8,9,10,{"truncated":13}])");
}

TEST(LOG_1, BelowDepthFiveNothingIsShown) {
    EXPECT_EQ(json_of(R"({"a":{"a":{"a":{"a":{"a":{"password":"x"},"b":[1]},"c":2}}}})"),
              R"({"a":{"a":{"a":{"a":{"a":"[TRUNCATED]","b":"[TRUNCATED]"},"c":2}}}})");
}

TEST(LOG_1, JsonInAStringIsReadAsWell) {
    EXPECT_EQ(json_of(R"({"a":"{\"password\":\"x\",\"b\":1}"})"), R"({"a":"{\"password\":\"[REDACTED]\",\"b\":1}"})");
    // JSON that is malformed, or nested deeper than in any genuine body, is not shown.
    std::string nested = R"({"password":"canary"})";
    for (int i = 0; i < 5; ++i) nested = boost::json::serialize(boost::json::object{{"a", nested}});
    EXPECT_FALSE(json_of(nested).contains("canary")) << json_of(nested);
    EXPECT_FALSE(json_of(R"({"a":"{\"password\":\"canary"})").contains("canary"));
}

TEST(LOG_1, WhatIsNoJsonIsNotShown) {
    for (const std::string& body : {"password=canary"s, "{\"password\":\"canary\""s, "{} trailing"s, "\xFF\xFE"s,
                                    R"({"a":"\xFF canary"})"
                                    "\xFF"s,
                                    std::string(100'000, '[')}) {
        const std::string size = std::to_string(body.size());
        EXPECT_EQ(json_of(body), R"({"buffer":"[BUFFER]","size":)" + size + "}");
    }
    const std::string large = R"({"a":")" + std::string(20'000, 'x') + R"("})";
    EXPECT_EQ(json_of(large), R"({"buffer":"[BUFFER]","size":)" + std::to_string(large.size()) + "}");
    std::string many = "{";
    for (int i = 0; i < 1'500; ++i) many += "\"name" + std::to_string(i) + "\":0,";
    many.back() = '}';
    EXPECT_TRUE(json_of(many).starts_with(R"({"buffer")"));
}

TEST(LOG_1, LongStringsAreCut) {
    const std::string out = json_of(R"({"a":")" + std::string(5'000, 'x') + R"("})");
    EXPECT_LT(out.size(), 1'100U);
    EXPECT_TRUE(out.ends_with(R"(x[...]"})"));
}

TEST(LOG_1, TokensAndAddressesInFreeTextLoseTheirSecretParts) {
    const std::string jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    EXPECT_EQ(redact_text("took " + jwt + ", sorry"), "took [REDACTED], sorry");
    EXPECT_EQ(redact_text("eyJ is short"), "eyJ is short");
    EXPECT_EQ(redact_text("see https://user:pw@a.example/x?token=1&b=2#c."),
              "see https://[REDACTED]@a.example/x?[REDACTED]");
    EXPECT_EQ(redact_text("postgresql://u:p@db:5432/x and http://b/c"),
              "postgresql://[REDACTED]@db:5432/x and http://b/c");
    EXPECT_EQ(redact_text("otpauth://totp/A:b?secret=JBSW"), "otpauth://[REDACTED]");
    EXPECT_EQ(redact_text("https://a.example/forgot-password/abcdefghijklmnopqrstuvwxyz"),
              "https://a.example/forgot-password/[REDACTED]");
    EXPECT_EQ(redact_text("/verify-email/abcdefghijklmnopqrstuvwxyz?a=b"), "/verify-email/[REDACTED]?[REDACTED]");
    EXPECT_EQ(json_of(R"({"path":"/verify-email/abcdefghijklmnopqrstuvwxyz"})"),
              R"({"path":"/verify-email/[REDACTED]"})");
    EXPECT_EQ(redact_text("://"), "://");
    EXPECT_EQ(redact_text(""), "");
}

TEST(LOG_1, PathsAndQueriesLoseTheirSecrets) {
    EXPECT_EQ(redact_path("/api/v1/user/018bcfe5-6800-7000-8000-0123456789ab"),
              "/api/v1/user/018bcfe5-6800-7000-8000-0123456789ab");
    EXPECT_EQ(redact_path("/api/public/user/verify-email/abcdefghijklmnopqrstuvwxyz/x"),
              "/api/public/user/verify-email/[REDACTED]/x");
    EXPECT_EQ(redact_path("/x/" + std::string(100, 'a')), "/x/[REDACTED]");
    EXPECT_EQ(redact_path(""), "");
    EXPECT_EQ(redact_query("page=2&token=x&a=b+c%20d&&flag"), "page=2&token=[REDACTED]&a=b c d&&flag");
    EXPECT_EQ(redact_query("%74oken=x&X-Amz-Signature=y&t=%7B%22password%22%3A1"),
              "token=[REDACTED]&X-Amz-Signature=[REDACTED]&t=[REDACTED]");
    EXPECT_EQ(redact_query("to=https%3A%2F%2Fa.example%2F%3Ftoken%3Dx"), "to=[REDACTED]");
    EXPECT_EQ(redact_query(""), "");
}

TEST(LOG_1, ANameIsReadLikeAValue) {
    const std::string jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    EXPECT_EQ(redact_query(jwt), "[REDACTED]");
    EXPECT_EQ(redact_query("a=b&" + jwt + "=c"), "a=b&[REDACTED]=c");
    EXPECT_EQ(redact_query("https%3A%2F%2Fa.example%2Freset-password%2Fabcdefghijklmnopqrstuvwxyz"),
              "https://a.example/reset-password/[REDACTED]");
    EXPECT_EQ(redact_query("token%3Dcanary&%7B%22password%22:%22canary%22%7D=1"), "[REDACTED]&[REDACTED]=[REDACTED]");
    EXPECT_EQ(json_of(R"({")" + jwt + R"(":1,"https://u:pw@a.example/x?tok=1":2})"),
              R"({"[REDACTED]":1,"https://[REDACTED]@a.example/x?[REDACTED]":2})");
    EXPECT_EQ(json_of(R"({"{\"password\":\"canary\"}":1})"), R"({"{\"password\":\"[REDACTED]\"}":"[REDACTED]"})");
}

TEST(LOG_1, OnlyKnownHeadersAreShown) {
    for (const auto* name : {"Host", "user-agent", "Content-Type", "X-Request-Id", "x-correlation-id", "ACCEPT", "Via"})
        EXPECT_TRUE(is_plain_header(name)) << name;
    for (const auto* name : {"Authorization", "Cookie", "Set-Cookie", "x-api-key", "x-session-id", "Location", "x-new",
                             "", "proxy-authorization", "a-header-with-a-name-longer-than-all-that-are-known"})
        EXPECT_FALSE(is_plain_header(name)) << name;
}

TEST(LOG_2, WhateverTheBytesALineStaysOneLineOfJson) {
    EXPECT_EQ(log_string("a\"b\\c\r\n\t\x1B[31m\0z"s + '\0'), R"("a\"b\\c\u000d\n\u0009\u001b[31m\u0000z\u0000")");
    EXPECT_EQ(log_string("\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAE\xC2\x9B\x7F"), R"("\u2028\u2029\u202e\u009b\u007f")");
    EXPECT_EQ(log_string("\xFF\xC3(\xE2\x82"), R"("\ufffd\ufffd(\ufffd\ufffd")");
    EXPECT_EQ(log_string("Grüße, 日本 🙂"), "\"Grüße, 日本 🙂\"");
    EXPECT_EQ(log_string(std::string(50, 'x'), 10), "\"xxxxxxxxxx[...]\"");
    // Every byte, alone or surrounded by plain characters, yields valid JSON: well-formed UTF-8 without control
    // characters.
    for (int byte = 0; byte < 256; ++byte) {
        for (const std::size_t around : {0U, 7U, 16U, 33U}) {
            const std::string text = std::string(around, 'a') + static_cast<char>(byte) + std::string(around, 'b');
            const std::string line = log_string(text);
            boost::json::error_code error;
            boost::json::parse(line, error);
            EXPECT_FALSE(error) << byte;
            EXPECT_TRUE(code_points(line)) << byte;
            for (const char c : line) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << byte;
        }
    }
}

TEST(LOG_2, ANumberIsShownWholeOrCutAsAString) {
    const std::string ones(126, '1');
    EXPECT_EQ(json_of("[" + ones + ".5]"), "[" + ones + ".5]") << "128 characters";
    EXPECT_EQ(json_of("[" + ones + "1.5]"), "[\"" + ones + "1.[...]\"]");
    // The cut may leave what is no number.
    for (const std::string_view end : {"0", ".5", "e5", "e-5", "E+10", ".25e-10"}) {
        for (std::size_t digits = 118; digits <= 130; ++digits) {
            for (const std::string_view beginning : {"1", "-1.", "0."}) {
                if (end.starts_with('.') && beginning.ends_with('.')) continue;
                const std::string body =
                    R"({"a":[)" + std::string(beginning) + std::string(digits, '1') + std::string(end) + R"(],"b":2})";
                boost::json::error_code error;
                boost::json::parse(json_of(body), error);
                EXPECT_FALSE(error) << json_of(body);
            }
        }
    }
}

}  // namespace
}  // namespace consentry
