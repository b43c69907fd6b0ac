// Tests what users do with their own account: view, change and export it.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "tests/support/calls/account_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* export_path = "/api/shared/user/export";

std::string entries_of(const Service& service, const Person& person) {
    return one(service, "SELECT count(*) FROM activity_log WHERE user_id = '" + person.id.text() + "'");
}

Answer update(const Service& service, const TokenTexts& tokens, const std::string& body,
              const std::string& path = profile_path) {
    return service.call("PUT", path, body, bearer(tokens.access));
}

TEST(Profile, TellsWhatTheOwnerMayKnowAndNoMore) {
    Service& service = suite_service();
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    const Answer seen = service.get(profile_path, bearer(tokens.access));
    ASSERT_EQ(seen.status, 200U) << seen.body;
    EXPECT_EQ(seen.text("data.id"), person.id.text());
    EXPECT_EQ(seen.text("data.email"), person.email);
    EXPECT_EQ(seen.text("data.roleId"), seen.text("data.role.id"));
    EXPECT_EQ(seen.text("data.role.name"), "user");
    EXPECT_EQ(seen.text("data.signUpFrom"), "system");
    EXPECT_EQ(seen.text("data.lastLoginWith"), "credential");
    EXPECT_EQ(seen.text("data.lastIPAddress"), "127.0.0.1");
    EXPECT_EQ(seen.number("data.passwordAttempt"), 0);
    EXPECT_TRUE(seen.boolean("data.twoFactor.enabled"));
    EXPECT_TRUE(seen.has("data.twoFactor.confirmedAt"));
    EXPECT_FALSE(seen.has("data.name"));
    EXPECT_FALSE(seen.has("data.passwordExpired"));
    for (const char* secret : {"hash", "secret", "\"iv\"", "backupCodes", "argon2"})
        EXPECT_FALSE(seen.body.contains(secret)) << secret;
    EXPECT_EQ(service.get("/api/user/profile", bearer(tokens.access)).status, 200U);
    EXPECT_EQ(service.get("/api/v1/shared/user/profile", bearer(tokens.access)).status, 200U);
}

TEST(Profile, ChangesNameAndLanguageAndLeavesWhatIsAbsent) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    const Answer changed = update(service, tokens, R"({"name":"Ada \u00c9lise","language":"fr"})");
    EXPECT_EQ(changed.status, 200U) << changed.body;
    EXPECT_FALSE(changed.has("data"));
    EXPECT_EQ(update(service, tokens, R"({"language":"ja"})", "/api/shared/user/profile/update").status, 200U);
    EXPECT_EQ(update(service, tokens, "{}", "/api/user/profile").status, 200U);
    const Answer seen = service.get(profile_path, bearer(tokens.access));
    EXPECT_EQ(seen.text("data.name"), "Ada \xC3\x89lise");
    EXPECT_EQ(seen.text("data.language"), "ja");
    EXPECT_EQ(one(service, "SELECT count(*) FROM activity_log WHERE action = 'userUpdateProfile' AND user_id = '" +
                               person.id.text() + "'"),
              "3");
    // Mails use the new language.
    service.post(forgot_path, {{"email", person.email}});
    const std::string in_japanese = Mailbox(service).wait_for(person.email, "forgotPassword").subject;
    const Person other = service.make_person();
    service.post(forgot_path, {{"email", other.email}});
    EXPECT_NE(Mailbox(service).wait_for(other.email, "forgotPassword").subject, in_japanese);
}

TEST(AUT_5, NothingButNameAndLanguageCanBeChanged) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person other = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    for (const char* name :
         {"id", "userId", "email", "username", "role", "roleId", "status", "isVerified", "verifiedAt", "twoFactor",
          "termPolicy", "passwordAttempt", "passwordExpired", "signUpFrom", "createdAt", "deletedAt"}) {
        const Answer refused =
            update(service, tokens, R"({"name":"Eve",")" + std::string(name) + R"(":")" + other.id.text() + "\"}");
        EXPECT_EQ(refused.status, 422U) << name;
        EXPECT_TRUE(refused.violates(name, "whitelistValidation")) << refused.body;
    }
    for (const char* wrong : {R"({"name":""})", R"({"name":null})", R"({"name":7})", R"({"language":"xx"})",
                              R"({"language":null})", R"({"name":{"a":1}})"})
        EXPECT_EQ(update(service, tokens, wrong).status, 422U) << wrong;
    EXPECT_TRUE(update(service, tokens, R"({"name":")" + std::string(101, 'a') + "\"}").violates("name", "maxLength"));
    EXPECT_EQ(update(service, tokens, R"({})", std::string(profile_path) + "?userId=" + other.id.text()).status, 422U);
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE name IS NOT NULL AND id IN ('" + person.id.text() +
                               "', '" + other.id.text() + "')"),
              "0");
}

TEST(AUT_3, TheProfileIsThatOfTheToken) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person other = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    const Headers forged{{"Authorization", "Bearer " + tokens.access},
                         {"X-User-Id", other.id.text()},
                         {"X-User-Email", other.email},
                         {"X-Role", "superAdmin"}};
    EXPECT_EQ(service.get(profile_path, forged).text("data.id"), person.id.text());
    EXPECT_EQ(boost::json::parse(service.get(export_path, forged).body).at("profile").at("id").as_string(),
              person.id.text());
}

TEST(Export, HoldsAllThatIsKeptAndNoSecret) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const TokenTexts tokens = [&] {
        const Answer login = service.verify(service.challenge_of(person), service.next_code(person));
        return TokenTexts{login.text("data.tokens.accessToken"), login.text("data.tokens.refreshToken")};
    }();
    service.clock().advance(seconds{1});  // ids of the same millisecond have a random order
    const Answer file = service.get(export_path, bearer(tokens.access));
    ASSERT_EQ(file.status, 200U) << file.body;
    EXPECT_EQ(file.headers.at("content-type"), "application/json; charset=utf-8");
    EXPECT_EQ(file.headers.at("content-disposition"), "attachment; filename=account-" + person.id.text() + ".json");
    const auto all = boost::json::parse(file.body);
    EXPECT_EQ(all.at("profile").at("email").as_string(), person.email);
    EXPECT_EQ(all.at("sessions").as_array().size(), 2U);
    EXPECT_EQ(all.at("sessions").at(0).at("ipAddress").as_string(), "127.0.0.1");
    EXPECT_EQ(all.at("passwords").as_array().size(), 1U);
    EXPECT_EQ(all.at("identities").as_array().size(), 0U);
    EXPECT_EQ(all.at("knownDevices").as_int64(), 1);
    const auto& activity = all.at("activity").as_array();
    EXPECT_EQ(std::to_string(activity.size()), entries_of(service, person));
    EXPECT_EQ(activity.at(activity.size() - 1).at("action").as_string(), "userExport");
    for (const std::string& secret :
         {std::string("argon2"), std::string("jti"), person.secret, person.backup_codes[1], tokens.access})
        EXPECT_FALSE(file.body.contains(secret)) << secret;
}

TEST(Export, IsWholeHoweverLongTheHistoryIs) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    // Many of the 2,500 entries share a millisecond, so that only their ids tell them apart.
    const std::string id = "'" + person.id.text() + "'";
    std::string rows;
    for (int i = 0; i < 2'500; ++i) {
        std::string number = std::to_string(i);
        number.insert(0, 12 - number.size(), '0');
        rows += (i == 0 ? "('01800000-0000-7000-8000-" : ", ('01800000-0000-7000-8000-") + number + "', " + id +
                ", 'userRefreshToken', " + std::to_string(1'600'000'000'000 + i / 800) + ", " + id + ")";
    }
    service.sql("INSERT INTO activity_log (id, user_id, action, created_at, created_by) VALUES " + rows);
    const auto all = boost::json::parse(service.get(export_path, bearer(tokens.access)).body);
    EXPECT_EQ(std::to_string(all.at("activity").as_array().size()), entries_of(service, person));
    EXPECT_EQ(all.at("activity").at(0).at("action").as_string(), "userRefreshToken");
}

}  // namespace
}  // namespace consentry::tests
