// The life of an account from sign-up to deletion, over HTTP and by mail.
#include <gtest/gtest.h>

#include "tests/support/calls/account_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* ada = "ada@example.org";

TEST(AccountsJourney, FromSignUpToDeletionAndBack) {
    Service service;
    Person person = newcomer(service, ada);
    const TokenTexts website = service.turn_two_factor_on(person);
    EXPECT_TRUE(service.get(profile_path, bearer(website.access)).boolean("data.twoFactor.enabled"));

    // The user has forgotten the password but still has the phone.
    ASSERT_EQ(forget(service, ada).status, 200U);
    const std::string link = forgotten_token(service, ada);
    ASSERT_EQ(reset(service, link, new_password).code_name(), "twoFactorMethodRequired");
    ASSERT_EQ(reset(service, link, new_password, {{"code", service.next_code(person)}}).status, 200U);
    EXPECT_EQ(service.get(profile_path, bearer(website.access)).status, 401U);
    EXPECT_EQ(service.log_in(person).status, 400U) << "the old password";
    person.password = new_password;

    // The user logs in with both factors on two devices and ends one of the sessions.
    std::vector<std::string> access;
    for (int i = 0; i < 2; ++i) {
        const Answer login = service.verify(service.challenge_of(person), service.next_code(person));
        ASSERT_EQ(login.status, 200U) << login.body;
        access.push_back(login.text("data.tokens.accessToken"));
    }
    const Answer sessions = service.get("/api/shared/user/session/list", bearer(access[1]));
    ASSERT_EQ(sessions.json.at("data").as_array().size(), 2U);
    for (const auto& session : sessions.json.at("data").as_array())
        if (!session.at("isCurrent").as_bool())
            EXPECT_EQ(service
                          .erase("/api/shared/user/session/revoke/" + std::string(session.at("id").as_string()), {},
                                 bearer(access[1]))
                          .status,
                      204U);
    EXPECT_EQ(service.get(profile_path, bearer(access[0])).status, 401U);
    EXPECT_EQ(service.get("/api/shared/user/export", bearer(access[1])).status, 200U);

    // Consentry informed the owner by mail and in the activity log.
    settle_mails(service);
    const Mailbox mailbox(service);
    for (const char* kind : {"verifyEmail", "welcome", "twoFactorEnabled", "forgotPassword", "passwordReset"})
        EXPECT_EQ(mailbox.all(ada, kind).size(), 1U) << kind;
    const Answer log = service.get("/api/shared/user/activity-log/list?perPage=100", bearer(access[1]));
    for (const char* action : {"userSignedUp", "userVerifiedEmail", "userEnableTwoFactor", "userForgotPassword",
                               "userResetPassword", "userVerifyTwoFactor", "userRevokeSession", "userExport"})
        EXPECT_TRUE(log.body.contains(action)) << action;

    ASSERT_EQ(
        service.erase("/api/user/user/delete/self", {{"code", service.next_code(person)}}, bearer(access[1])).status,
        204U);
    EXPECT_EQ(service.get(profile_path, bearer(access[1])).status, 401U);
    mailbox.wait_for(ada, "accountDeleted");

    // The address starts afresh: the new account inherits nothing from the former one.
    mailbox.clear();
    const Person anew = newcomer(service, ada);
    const Answer login = service.log_in(anew);
    EXPECT_FALSE(login.boolean("data.isTwoFactorRequired"));
    EXPECT_EQ(service.get(profile_path, bearer(login.text("data.tokens.accessToken"))).text("data.id"), anew.id.text());
}

TEST(AccountsJourney, OutlivesARestartBetweenAnyTwoSteps) {
    Service service;
    ASSERT_EQ(sign_up(service, ada).status, 201U);
    service.restart();
    const std::string verification = Mailbox(service).wait_for(ada, "verifyEmail").token();
    service.restart();
    ASSERT_EQ(verify_email(service, verification).status, 200U);
    ASSERT_EQ(forget(service, ada).status, 200U);
    service.restart();
    const std::string link = forgotten_token(service, ada);
    service.restart();
    ASSERT_EQ(reset(service, link, new_password).status, 200U);
    service.restart();
    EXPECT_EQ(service.log_in(ada, new_password).status, 200U);
    settle_mails(service);
    EXPECT_EQ(Mailbox(service).all(ada, "verifyEmail").size(), 1U);
    EXPECT_EQ(Mailbox(service).all(ada, "forgotPassword").size(), 1U);
}

}  // namespace
}  // namespace consentry::tests
