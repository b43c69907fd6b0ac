// Complete two-factor flows, as a client performs them.
#include <gtest/gtest.h>

#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

TEST(TwoFactorJourney, FromTheFirstLoginToTheLastLogout) {
    Service& service = suite_service();
    Person ada = service.make_person();
    service.turn_two_factor_on(ada);
    EXPECT_EQ(ada.backup_codes.size(), 8U);

    const Answer login = service.log_in(ada);
    EXPECT_TRUE(login.boolean("data.isTwoFactorRequired"));
    EXPECT_FALSE(login.has("data.tokens"));
    EXPECT_EQ(login.number("data.challengeExpiresIn"), 300'000);
    EXPECT_EQ(login.number("data.backupCodesRemaining"), 8);

    const Answer verified = service.verify(login.text("data.challengeToken"), service.next_code(ada));
    ASSERT_EQ(verified.status, 200U) << verified.body;
    EXPECT_FALSE(verified.boolean("data.isTwoFactorRequired"));
    const std::string access = verified.text("data.tokens.accessToken");
    const Answer status = service.get("/api/v1/shared/user/2fa/status", bearer(access));
    EXPECT_TRUE(status.boolean("data.isEnabled"));

    const Answer refreshed =
        service.post("/api/shared/user/refresh", {}, bearer(verified.text("data.tokens.refreshToken")));
    ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(access)).status, 401U) << "the former pair is dead";
    const std::string next = refreshed.text("data.accessToken");

    const Answer changed = service.patch(
        "/api/shared/user/change-password",
        {{"oldPassword", ada.password}, {"newPassword", "Copper-Meadow-77"}, {"backupCode", ada.backup_codes[0]}},
        bearer(next));
    ASSERT_EQ(changed.status, 200U) << changed.body;
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(next)).status, 401U) << "all sessions ended";

    ada.password = "Copper-Meadow-77";
    const Answer again = service.verify_backup(service.challenge_of(ada), ada.backup_codes[1]);
    ASSERT_EQ(again.status, 200U) << again.body;
    const std::string last = again.text("data.tokens.accessToken");
    EXPECT_EQ(service.post("/api/shared/user/logout", {}, bearer(last)).status, 200U);
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(last)).status, 401U);
}

TEST(TwoFactorJourney, EverythingSurvivesARestart) {
    Service service;
    Person ada = service.make_person();
    const auto tokens = service.turn_two_factor_on(ada);
    service.restart();
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(tokens.access)).status, 200U);
    EXPECT_EQ(service.verify_backup(service.challenge_of(ada), ada.backup_codes[3]).status, 200U);
    service.restart();
    EXPECT_EQ(service.verify_backup(service.challenge_of(ada), ada.backup_codes[3]).status, 401U)
        << "spent once, spent forever";
}

TEST(TwoFactorJourney, AdminForcesASetUpAtTheNextLogin) {
    Service& service = suite_service();
    Person ada = service.make_person();
    const Person admin = service.make_person(Role::admin);
    const auto before = service.turn_two_factor_on(ada);
    const auto admin_tokens = service.tokens_of(admin);

    const Answer reset = service.call("PATCH", "/api/admin/user/update/" + ada.id.text() + "/2fa/reset", {},
                                      bearer(admin_tokens.access));
    ASSERT_EQ(reset.status, 200U) << reset.body;
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(before.access)).status, 401U);

    const Answer login = service.log_in(ada);
    ASSERT_EQ(login.status, 200U) << login.body;
    EXPECT_TRUE(login.boolean("data.isRequiredSetup"));
    EXPECT_EQ(login.number("data.backupCodesRemaining"), 0);
    ada.secret = login.text("data.secret");
    const std::string challenge = login.text("data.challengeToken");
    EXPECT_EQ(service.verify(challenge, service.next_code(ada)).code_name(), "twoFactorRequiredSetup");
    const Answer enabled =
        service.post("/api/public/user/login/2fa/enable", {{"challengeToken", challenge}, {"code", service.code(ada)}});
    ASSERT_EQ(enabled.status, 200U) << enabled.body;
    EXPECT_EQ(enabled.json.at("data").at("backupCodes").as_array().size(), 8U);
    EXPECT_EQ(service.verify(challenge, service.next_code(ada)).status, 200U) << "the same challenge, once";
    EXPECT_EQ(service.verify(challenge, service.next_code(ada)).code_name(), "twoFactorChallengeInvalid");
}

TEST(TwoFactorJourney, ParallelRightAnswersMakeOneSession) {
    Service& service = suite_service();
    Person ada = service.make_person();
    service.turn_two_factor_on(ada);
    const std::string challenge = service.challenge_of(ada);
    const std::string code = service.next_code(ada);
    const auto answers = at_once(200, [&](std::size_t) { return service.verify(challenge, code); });
    const auto counts = statuses(answers);
    EXPECT_EQ(counts.at(200), 1U);
    EXPECT_EQ(counts.at(401), 199U);
}

}  // namespace
}  // namespace consentry::tests
