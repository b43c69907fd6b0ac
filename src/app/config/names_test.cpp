#include "app/config/names.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/config/settings.hpp"

namespace consentry {
namespace {

TEST(SettingNames, EditDistance) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("HTTP_PORT", "HTTP_PROT"), 1U) << "two neighbors that changed places";
    EXPECT_EQ(edit_distance("abcd", "badc"), 2U);
    EXPECT_EQ(edit_distance("SMTP_PORT", "HTTP_PORT"), 2U);
}

TEST(SettingNames, OPS_2_MisspelledNamesOfOursAreProblemsThatNameTheRightOne) {
    struct Case {
        std::string_view name, suggestion;
    };
    for (const auto& [name, suggestion] : {
             Case{"HTTP_PROT", "HTTP_PORT"},
             {"HTP_PORT", "HTTP_PORT"},
             {"http_port", "HTTP_PORT"},
             {"APP_ENVV", "APP_ENV"},
             {"DATABASE_URI", "DATABASE_URL"},
             {"AUTH_TWO_FACTOR_ENCRYPTON_KEY", "AUTH_TWO_FACTOR_ENCRYPTION_KEY"},
             {"CONSENTRY_HTTP_PORT", "HTTP_PORT"},
             {"SESSION_MAX_PER_USERS", "SESSION_MAX_PER_USER"},
             {"THROTTLE_LMT", "THROTTLE_LIMIT"},  // two wrong letters out of twelve
         }) {
        const auto problem = misspelled_name(name);
        ASSERT_TRUE(problem) << name;
        EXPECT_EQ(problem->setting, name);
        EXPECT_EQ(problem->text, "is not a Consentry setting; did you mean " + std::string(suggestion) + "?");
    }
}

TEST(SettingNames, OPS_2_UnknownNamesWithAPrefixOfOursAreProblems) {
    for (const auto* name :
         {"AUTH_JWT_SECRET", "AUTH_PASSWORD_PEPPER_AND_SALT", "AUTH_TWO_FACTOR_KEY", "CONSENTRY_DEBUG",
          "URL_VERSIONING_DEFAULT_THING", "AUTH_SOCIAL_GITHUB_CLIENT_ID", "FORGOT_PASSWORD_OTP_LENGTH_MAX"})
        EXPECT_TRUE(misspelled_name(name)) << name;
}

TEST(SettingNames, OPS_2_OtherNamesOfASettingAreProblemsThatNameIt) {
    for (const auto& [name, setting] : {std::pair("AUTH_GOOGLE_HEADER", "AUTH_SOCIAL_GOOGLE_HEADER"),
                                        std::pair("FEATURE_FLAG_CACHE_TTL_IN_MS", "FEATURE_FLAG_CACHE_TTL_MS")}) {
        const auto problem = misspelled_name(name);
        ASSERT_TRUE(problem) << name;
        EXPECT_TRUE(problem->text.ends_with(std::string("; its name is ") + setting)) << problem->text;
    }
}

// The environment may contain variables of other programs. Those that resemble a setting are reported, but do not stop
// the start.
TEST(SettingNames, NamesThatOnlyResembleOneOfOursAreWarnings) {
    struct Case {
        std::string_view name, setting;
    };
    for (const auto& [name, setting] : {Case{"SMTP_PORT", "HTTP_PORT"},
                                        {"SMTP_HOST", "HTTP_HOST"},
                                        {"HTTPS_PORT", "HTTP_PORT"},
                                        {"https_port", "HTTP_PORT"},
                                        {"HTTP_PORTS", "HTTP_PORT"},
                                        {"SESSION_SECRET", "SESSION_CHECK"},
                                        {"CACHE_TTL", "CACHE_TTL_IN_MS"},
                                        {"THROTTLE_TTL", "THROTTLE_TTL_IN_MS"}}) {
        EXPECT_FALSE(misspelled_name(name)) << name;
        const auto warning = resembling_name(name);
        ASSERT_TRUE(warning) << name;
        EXPECT_EQ(warning->setting, name);
        EXPECT_EQ(warning->text, "is not a Consentry setting and has no effect; it resembles " + std::string(setting));
    }
}

TEST(SettingNames, WhatStopsTheStartIsNoWarningToo) {
    for (const auto* name : {"HTTP_PROT", "AUTH_JWT_SECRET", "HTTP_PORT"}) EXPECT_FALSE(resembling_name(name)) << name;
}

TEST(SettingNames, VariablesOfOthersPass) {
    for (const auto* name : {"HTTP_PROXY",
                             "HTTPS_PROXY",
                             "NO_PROXY",
                             "ALL_PROXY",
                             "http_proxy",
                             "https_proxy",
                             "no_proxy",
                             "PATH",
                             "HOME",
                             "LANG",
                             "TZ",
                             "SESSION_MANAGER",
                             "XDG_SESSION_ID",
                             "DBUS_SESSION_BUS_ADDRESS",
                             "POSTGRES_PASSWORD",
                             "NODE_ENV",
                             "APPDATA",
                             "CONSENTRY_TEST_DATA",
                             "CONSENTRY_API_KEY",
                             "CONSENTRY_URL",
                             "CONSENTRY_WITNESS_KEY",
                             "CONSENTRY_SERVICE_HOST",
                             "CONSENTRY_SERVICE_PORT_HTTP",
                             "CONSENTRY_PORT_3000_TCP_ADDR",
                             "CONSENTRY_REDIS_PORT_3868_SCTP_PROTO",
                             "SSH_AUTH_SOCK",
                             "DATADOG_URL",
                             "_",
                             ""})
        EXPECT_FALSE(misspelled_name(name) || resembling_name(name)) << name;
}

// Kubernetes tells every container of every service of its namespace, whatever that is called.
TEST(SettingNames, LinksToServicesOfKubernetesPass) {
    for (const std::string service : {"CONSENTRY", "CONSENTRY_REDIS", "SESSION", "CACHE_MEMORY_X", "HTTPS"}) {
        const std::string port = service + "_PORT";
        const Environment by_value[] = {{{port, "tcp://10.0.0.7:6379"}},
                                        {{port, "udp://10.0.0.7:53"}},
                                        {{port, "sctp://10.0.0.7:3868"}},
                                        {{port, ""}, {service + "_SERVICE_HOST", "10.0.0.7"}}};
        for (const Environment& environment : by_value)
            for (const auto& [name, value] : environment)
                EXPECT_FALSE(misspelled_name(name, environment) || resembling_name(name, environment)) << name;
    }
    const Environment other{{"CONSENTRY_REDIS_PORT", "6379"}, {"REDIS_SERVICE_HOST", "10.0.0.7"}};
    EXPECT_TRUE(misspelled_name("CONSENTRY_REDIS_PORT", other));
    EXPECT_TRUE(misspelled_name("CONSENTRY_PORT", {{"CONSENTRY_PORT", "3000"}})) << "meant as HTTP_PORT";
}

TEST(SettingNames, SettingsPass) {
    for (const SettingSpec& setting : settings())
        EXPECT_FALSE(misspelled_name(setting.name) || resembling_name(setting.name)) << setting.name;
}

}  // namespace
}  // namespace consentry
