#include "app/config/values.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consentry {
namespace {

using namespace std::chrono_literals;

TEST(SettingValues, BooleansAreTrueOrFalseAndNothingElse) {
    EXPECT_EQ(parse_flag("true"), true);
    EXPECT_EQ(parse_flag("false"), false);
    for (const auto* text : {"", "TRUE", "True", "1", "0", "yes", "on", " true", "true "})
        EXPECT_EQ(parse_flag(text), std::nullopt) << '"' << text << '"';
}

TEST(SettingValues, WholeNumbersAreDecimalDigits) {
    EXPECT_EQ(parse_whole_number("0"), 0);
    EXPECT_EQ(parse_whole_number("007"), 7);
    EXPECT_EQ(parse_whole_number("9223372036854775807"), INT64_MAX);
    for (const auto* text : {"", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1 ", "1_000", "9223372036854775808", "٣"})
        EXPECT_EQ(parse_whole_number(text), std::nullopt) << '"' << text << '"';
}

TEST(SettingValues, DurationsHaveAUnit) {
    EXPECT_EQ(parse_duration("500ms"), 500ms);
    EXPECT_EQ(parse_duration("30s"), 30s);
    EXPECT_EQ(parse_duration("15m"), 15min);
    EXPECT_EQ(parse_duration("1h"), 1h);
    EXPECT_EQ(parse_duration("30d"), 720h);
    EXPECT_EQ(parse_duration("0s"), 0ms);
    for (const auto* text : {"", "30", "s", "-1s", "1.5h", "1h30m", "1 h", "1H", "1w", "1us", "9223372036854775807d"})
        EXPECT_EQ(parse_duration(text), std::nullopt) << '"' << text << '"';
}

TEST(SettingValues, DurationsAreShownInTheLargestUnitThatDividesThem) {
    for (const auto* text : {"0s", "1ms", "1500ms", "30s", "90s", "15m", "90m", "1h", "24h", "36h", "2d", "30d"})
        EXPECT_EQ(duration_text(*parse_duration(text)), text);
}

TEST(SettingValues, TimezonesAreThoseOfTheSystem) {
    EXPECT_TRUE(is_timezone("UTC"));
    if (is_timezone("Europe/Berlin")) {
        EXPECT_TRUE(is_timezone("America/Argentina/Buenos_Aires"));
        EXPECT_TRUE(is_timezone("Etc/GMT+8"));
    }
    for (const auto* name : {"", "utc ", "Europe", "Europe/Atlantis", "../../../etc/passwd", "/etc/localtime",
                             "Europe/", "Europe//Berlin", "zone.tab", "leapseconds", "Europe/../UTC"})
        EXPECT_FALSE(is_timezone(name)) << '"' << name << '"';
}

TEST(SettingValues, PathPrefixes) {
    for (const auto* path : {"", "/api", "/auth/api", "/a-b_c.d~e", "/docs2"})
        EXPECT_TRUE(is_path_prefix(path)) << path;
    for (const auto* path :
         {"/", "api", "/api/", "//api", "/a//b", "/a b", "/a?b", "/docs", "/docs/x", "/metrics", "/.well-known",
          "/favicon.ico", "/..", "/a/../b", "/ä", "/policies", "/consent-log", "/.consentry"})
        EXPECT_FALSE(is_path_prefix(path)) << path;
}

TEST(SettingValues, PublicUrls) {
    EXPECT_EQ(parse_public_url("https://login.example.com"), "https://login.example.com");
    EXPECT_EQ(parse_public_url("https://example.com:8443/auth/"), "https://example.com:8443/auth");
    EXPECT_EQ(parse_public_url("http://[::1]:3000"), "http://[::1]:3000");
    for (const auto* url : {"login.example.com", "ftp://example.com", "https://", "https://user:pw@example.com",
                            "https://example.com?x=1", "https://example.com/#x", "https://exa mple.com", "javascript:1",
                            "https://example.com:", "https://example.com:0", "https://example.com:65536",
                            "https://example.com:99999/auth"})
        EXPECT_EQ(parse_public_url(url), std::nullopt) << url;
}

TEST(SettingValues, SessionKeyPatterns) {
    EXPECT_TRUE(is_session_key_pattern("User:{userId}:Session:{sessionId}"));
    EXPECT_TRUE(is_session_key_pattern("{sessionId}{userId}"));
    for (const auto* pattern : {"", "{userId}", "{sessionId}", "{userId}{userId}{sessionId}", "{userId}{sessionId}{x}",
                                "{userId} {sessionId}", "{{userId}{sessionId}", "{userId}{sessionId}ä"})
        EXPECT_FALSE(is_session_key_pattern(pattern)) << pattern;
}

TEST(SettingValues, DatabaseUrls) {
    EXPECT_EQ(parse_database_url("sqlite:data/a.db"), "data/a.db");
    EXPECT_EQ(parse_database_url("sqlite:/var/lib/a.db"), "/var/lib/a.db");
    EXPECT_EQ(parse_database_url("sqlite:///var/lib/a.db"), "/var/lib/a.db");
    for (const auto* url :
         {"", "a.db", "sqlite:", "sqlite:///", "sqlite://host/a.db", "sqlite::memory:", "sqlite:a.db?mode=ro",
          "sqlite:file:a.db", "sqlite:file:///a.db", "sqlite:dir/", "mysql://x", "SQLITE:a.db"})
        EXPECT_FALSE(parse_database_url(url).has_value()) << url;
}

TEST(SettingValues, FolderUrls) {
    EXPECT_EQ(parse_folder_url("file:data/mail"), "file:data/mail");
    EXPECT_EQ(parse_folder_url("file:/var/mail"), "file:/var/mail");
    EXPECT_EQ(parse_folder_url("file:///var/mail"), "file:/var/mail");
    for (const auto* url : {"", "/var/mail", "file:", "file://", "file://host/mail", "FILE:mail"})
        EXPECT_EQ(parse_folder_url(url), std::nullopt) << url;
    EXPECT_EQ(parse_folder_url(std::string_view("file:a\0b", 8)), std::nullopt);
    EXPECT_EQ(folder_url("/var/mail"), "file:/var/mail");
    EXPECT_EQ(folder_of_url("file:/var/mail"), "/var/mail");
    EXPECT_EQ(folder_of_url("smtp://mail.example.org"), std::nullopt);
}

TEST(SettingValues, ListsHaveNoEmptyParts) {
    EXPECT_EQ(parse_list("a"), (std::vector<std::string>{"a"}));
    EXPECT_EQ(parse_list(" a , b "), (std::vector<std::string>{"a", "b"}));
    for (const auto* text : {"", " ", ",", "a,", ",a", "a,,b"}) EXPECT_EQ(parse_list(text), std::nullopt) << text;
}

TEST(SettingValues, PasswordsInAddressesAreMasked) {
    EXPECT_EQ(mask_url_password("postgresql://user:secret@db/x"), "postgresql://user:***@db/x");
    EXPECT_EQ(mask_url_password("redis://:se@cret@host:6379"), "redis://:***@host:6379");
    EXPECT_EQ(mask_url_password("postgresql://db/x?password=se@cret&sslmode=require&sslpassword=b"),
              "postgresql://db/x?password=***&sslmode=require&sslpassword=***");
    EXPECT_EQ(mask_url_password("https://example.com:8443/x"), "https://example.com:8443/x");
    EXPECT_EQ(mask_url_password("sqlite:./data/a.db"), "sqlite:./data/a.db");
}

TEST(SettingValues, AKeyMayHaveAName) {
    const auto parsed = [](std::string_view text) {
        const auto key = parse_named_key(text);
        return key ? key->kid + "|" + key->key : std::string("refused");
    };
    EXPECT_EQ(parsed("MFkw"), "|MFkw");
    EXPECT_EQ(parsed("MFkwEw=="), "|MFkwEw==") << "padding is no name";
    EXPECT_EQ(parsed("2026-05=MFkw"), "2026-05|MFkw");
    EXPECT_EQ(parsed("2026-05=MFkwEw=="), "2026-05|MFkwEw==");
    EXPECT_EQ(parsed("a=b==MFk="), "a=b=|MFk=") << "names may have equals signs";
    EXPECT_EQ(parsed("-----BEGIN PUBLIC KEY-----\nMFk=\n"), "|-----BEGIN PUBLIC KEY-----\nMFk=\n");
    EXPECT_EQ(parsed("old=-----BEGIN PUBLIC KEY-----\nMFk=\n"), "old|-----BEGIN PUBLIC KEY-----\nMFk=\n");
    for (const auto* text : {"", "=MFkw", "old-----BEGIN PUBLIC KEY-----", "=-----BEGIN PUBLIC KEY-----"})
        EXPECT_EQ(parsed(text), "refused") << text;
}

}  // namespace
}  // namespace consentry
