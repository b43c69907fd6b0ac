// Tests the settings that the interface specification names: each one works, or stops the start with the reason.
#include <string>

#include <gmock/gmock.h>

#include "app/config/read_config.hpp"
#include "app/config/settings.hpp"
#include "tests/support/config_problems.hpp"

namespace consentry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::problem_names;
using tests::warning_names;

// Every setting in the interface specification is known under the name derived from its dotted path. A value that the
// service does not support stops the start with the reason, rather than being ignored.
TEST(InterfaceSettings, EverySettingOfTheInterfaceIsKnown) {
    for (const auto* name : {"APP_LANGUAGE",
                             "MESSAGE_AVAILABLE_LANGUAGE",
                             "DOC_PREFIX",
                             "AUTH_JWT_ISSUER",
                             "AUTH_JWT_AUDIENCE",
                             "AUTH_JWT_HEADER",
                             "AUTH_JWT_PREFIX",
                             "AUTH_JWT_ACCESS_TOKEN_JWKS_URI",
                             "AUTH_JWT_ACCESS_TOKEN_KID",
                             "AUTH_JWT_ACCESS_TOKEN_ALGORITHM",
                             "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY",
                             "AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY",
                             "AUTH_JWT_ACCESS_TOKEN_EXPIRED",
                             "AUTH_JWT_REFRESH_TOKEN_JWKS_URI",
                             "AUTH_JWT_REFRESH_TOKEN_KID",
                             "AUTH_JWT_REFRESH_TOKEN_ALGORITHM",
                             "AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY",
                             "AUTH_JWT_REFRESH_TOKEN_PUBLIC_KEY",
                             "AUTH_JWT_REFRESH_TOKEN_EXPIRED",
                             "AUTH_SOCIAL_GOOGLE_HEADER",
                             "AUTH_SOCIAL_GOOGLE_PREFIX",
                             "AUTH_SOCIAL_GOOGLE_CLIENT_ID",
                             "AUTH_SOCIAL_GOOGLE_CLIENT_SECRET",
                             "AUTH_SOCIAL_APPLE_HEADER",
                             "AUTH_SOCIAL_APPLE_PREFIX",
                             "AUTH_SOCIAL_APPLE_CLIENT_ID",
                             "AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID",
                             "AUTH_PASSWORD_ATTEMPT",
                             "AUTH_PASSWORD_MAX_ATTEMPT",
                             "AUTH_PASSWORD_SALT_LENGTH",
                             "AUTH_PASSWORD_EXPIRED_IN_SECONDS",
                             "AUTH_PASSWORD_EXPIRED_TEMPORARY_IN_SECONDS",
                             "AUTH_PASSWORD_PERIOD_IN_SECONDS",
                             "AUTH_TWO_FACTOR_ISSUER",
                             "AUTH_TWO_FACTOR_LABEL",
                             "AUTH_TWO_FACTOR_ENCRYPTION_KEY",
                             "CACHE_NAMESPACE",
                             "CACHE_TTL_IN_MS",
                             "QUEUE_NAMESPACE",
                             "FEATURE_FLAG_CACHE_PREFIX_KEY",
                             "FEATURE_FLAG_CACHE_TTL_MS",
                             "SESSION_KEY_PATTERN",
                             "EMAIL_BATCH_SIZE",
                             "AWS_S3_PRESIGN_EXPIRED_IN_SECONDS",
                             "AWS_S3_MAX_ATTEMPTS",
                             "AWS_S3_TIMEOUT_IN_MS",
                             "SENTRY_TIMEOUT_IN_MS",
                             "TERM_POLICY_UPLOAD_CONTENT_PATH",
                             "TERM_POLICY_CONTENT_PUBLIC_PATH",
                             "CORS_ALLOWED_ORIGIN",
                             "THROTTLE_TTL_IN_MS",
                             "THROTTLE_LIMIT",
                             "REQUEST_TIMEOUT_IN_MS",
                             "URL_VERSIONING_ENABLE",
                             "URL_VERSIONING_PREFIX",
                             "URL_VERSION",
                             "LOGGER_ENABLE",
                             "LOGGER_LEVEL",
                             "LOGGER_INTO_FILE",
                             "LOGGER_PRETTIER",
                             "LOGGER_AUTO",
                             "VERIFICATION_EXPIRED_IN_MINUTES",
                             "VERIFICATION_OTP_LENGTH",
                             "VERIFICATION_TOKEN_LENGTH",
                             "VERIFICATION_LINK_BASE_URL",
                             "VERIFICATION_RESEND_IN_MINUTES",
                             "VERIFICATION_REFERENCE_PREFIX",
                             "VERIFICATION_REFERENCE_LENGTH",
                             "FORGOT_PASSWORD_EXPIRED_IN_MINUTES",
                             "FORGOT_PASSWORD_TOKEN_LENGTH",
                             "FORGOT_PASSWORD_LINK_BASE_URL",
                             "FORGOT_PASSWORD_RESEND_IN_MINUTES",
                             "FORGOT_PASSWORD_REFERENCE_PREFIX",
                             "FORGOT_PASSWORD_REFERENCE_LENGTH"})
        EXPECT_NE(find_setting(name), nullptr) << name;
}

TEST(InterfaceSettings, UnsupportedValuesStopTheStartWithTheReason) {
    const struct {
        const char* name;
        const char* value;
        const char* other;
        const char* reason;
    } cases[] = {
        {"AUTH_JWT_HEADER", "authorization", "X-Token", "treat no other header as a secret"},
        {"AUTH_JWT_PREFIX", "bearer", "Token", "RFC 6750"},
        {"AUTH_SOCIAL_GOOGLE_HEADER", "Authorization", "X-Google", "treat no other header as a secret"},
        {"AUTH_SOCIAL_GOOGLE_PREFIX", "Bearer", "Google", "RFC 6750"},
        {"AUTH_SOCIAL_APPLE_HEADER", "Authorization", "X-Apple", "treat no other header as a secret"},
        {"AUTH_SOCIAL_APPLE_PREFIX", "Bearer", "Apple", "RFC 6750"},
        {"DOC_PREFIX", "/docs", "/api-docs", "served at this path only"},
        {"QUEUE_NAMESPACE", nullptr, "Queue", "wait in the database"},
        {"AUTH_JWT_REFRESH_TOKEN_JWKS_URI", nullptr, "https://login.example.com/refresh.json", "not published"},
    };
    for (const auto& [name, value, other, reason] : cases) {
        if (value != nullptr) EXPECT_THAT(problem_names({{name, value}}), IsEmpty()) << name;
        const auto refused = read_config({{name, other}});
        ASSERT_FALSE(refused) << name;
        EXPECT_THAT(refused.error(), ElementsAre(AllOf(Field(&ConfigProblem::setting, name),
                                                       Field(&ConfigProblem::text, HasSubstr(reason)),
                                                       Field(&ConfigProblem::text, Not(HasSubstr(other))))));
    }
}

TEST(InterfaceSettings, TheAddressOfTheKeysIsTheOneWhereTheyArePublished) {
    const auto problems = [](const std::string& address, const std::string& public_url) {
        return problem_names({{"AUTH_JWT_ACCESS_TOKEN_JWKS_URI", address}, {"PUBLIC_URL", public_url}});
    };
    const std::string own = "https://login.example.com/.well-known/jwks.json";
    EXPECT_THAT(problems(own, "https://login.example.com"), IsEmpty());
    EXPECT_THAT(problems("http://localhost:3000/.well-known/jwks.json", ""), IsEmpty());
    for (const std::string address : {"https://keys.example.com/.well-known/jwks.json", "https://login.example.com",
                                      "https://login.example.com/.well-known/access-jwks.json", "keys.json"})
        EXPECT_THAT(problems(address, "https://login.example.com"), ElementsAre("AUTH_JWT_ACCESS_TOKEN_JWKS_URI"))
            << address;
}

TEST(InterfaceSettings, LanguagesCanBeFewer) {
    EXPECT_EQ(read_config({})->app.languages.size(), 6U);
    EXPECT_THAT(read_config({{"MESSAGE_AVAILABLE_LANGUAGE", "en, de"}})->app.languages,
                ElementsAre(Language::en, Language::de));
    for (const auto* languages : {"", "en,", "xx", "en,en", "en;de"})
        EXPECT_THAT(problem_names({{"MESSAGE_AVAILABLE_LANGUAGE", languages}}),
                    ElementsAre("MESSAGE_AVAILABLE_LANGUAGE"))
            << languages;
    EXPECT_THAT(problem_names({{"MESSAGE_AVAILABLE_LANGUAGE", "de,fr"}}), ElementsAre("APP_LANGUAGE"));
    EXPECT_THAT(problem_names({{"MESSAGE_AVAILABLE_LANGUAGE", "de,fr"}, {"APP_LANGUAGE", "de"}}), IsEmpty());
}

TEST(InterfaceSettings, AFormerKeyWithoutAName) {
    const Environment named{{"AUTH_JWT_ACCESS_TOKEN_KID", "2026-11"},
                            {"AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", "2026-05=MFkw,MFkx"}};
    const auto config = read_config(named);
    ASSERT_TRUE(config);
    ASSERT_EQ(config->jwt.access.public_keys.size(), 2U);
    EXPECT_EQ(config->jwt.access.public_keys[0].kid, "2026-05");
    EXPECT_EQ(config->jwt.access.public_keys[0].key, "MFkw");
    EXPECT_EQ(config->jwt.access.public_keys[1].kid, "");
    EXPECT_THAT(warning_names(named), ElementsAre("AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY"))
        << "its tokens may have had a name";
    EXPECT_THAT(warning_names({{"AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", "MFkw"}}), IsEmpty());
    for (const auto* keys : {"=MFkw", "2026-05=MFkw,", "a b=MFkw"})
        EXPECT_THAT(problem_names({{"AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", keys}}),
                    ElementsAre("AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY"))
            << keys;
    EXPECT_THAT(problem_names({{"AUTH_JWT_ACCESS_TOKEN_KID", "a,b"}}), ElementsAre("AUTH_JWT_ACCESS_TOKEN_KID"))
        << "it could not be told apart in the list of former keys";
}

}  // namespace
}  // namespace consentry
