// TFA-15: Consentry informs the owner of an account about events of its second factor, in a mail that fits each event.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// What the activity log tells of wrong codes.
std::vector<std::vector<std::string>> failures(const Service& service, const Person& person) {
    return service.sql("SELECT metadata FROM activity_log WHERE action = 'userFailTwoFactor' AND user_id = '" +
                       person.id.text() + "' ORDER BY metadata");
}

TEST(TFA_15, TheOwnerIsToldFromTheThirdWrongCodeOnAndAtEachLock) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const Mailbox mailbox(service);
    const auto fail_once = [&](int n) {
        EXPECT_EQ(service.verify(service.challenge_of(person), wrong_code(service, person, n)).status, 401U);
    };
    for (int n = 0; n < 5; ++n) fail_once(n);
    mailbox.wait_for(person.email, "twoFactorLocked");
    service.pass(std::chrono::minutes{5});
    fail_once(5);
    const ReceivedMail second = mailbox.wait_for(person.email, "twoFactorLocked", 1);
    EXPECT_THAT(second.text, HasSubstr("127.0.0.1"));

    // The third and the fourth wrong code are reported. Two wrong codes may be typing errors.
    EXPECT_THAT(mailbox.wait_for(person.email, "twoFactorFailed", 1).text, HasSubstr("wrong two-factor codes"));
    EXPECT_EQ(mailbox.all(person.email, "twoFactorFailed").size(), 2U);
    EXPECT_THAT(
        failures(service, person),
        ElementsAre(ElementsAre(R"({"attempt":3,"locked":false})"), ElementsAre(R"({"attempt":4,"locked":false})"),
                    ElementsAre(R"({"attempt":5,"locked":true})"), ElementsAre(R"({"attempt":6,"locked":true})")));
}

TEST(TFA_15, ARightCodeEndsTheSeries) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    for (int round = 0; round < 2; ++round) {
        for (int n = 0; n < 2; ++n)
            EXPECT_EQ(service.verify(service.challenge_of(person), wrong_code(service, person, n)).status, 401U);
        EXPECT_EQ(service.verify(service.challenge_of(person), service.next_code(person)).status, 200U);
    }
    EXPECT_TRUE(failures(service, person).empty());
}

TEST(TFA_15, ABackupCodeIsALoginOnlyWhereSomebodyLoggedIn) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const Answer login = service.verify_backup(service.challenge_of(person), person.backup_codes[0]);
    ASSERT_EQ(login.status, 200U) << login.body;
    const Mailbox mailbox(service);
    EXPECT_THAT(mailbox.wait_for(person.email, "backupCodeUsed").text, HasSubstr("logged in"));
    const Answer changed = service.patch(
        "/api/shared/user/change-password",
        {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}, {"backupCode", person.backup_codes[1]}},
        bearer(login.text("data.tokens.accessToken")));
    ASSERT_EQ(changed.status, 200U) << changed.body;
    const ReceivedMail mail = mailbox.wait_for(person.email, "backupCodeUsedForChange");
    EXPECT_THAT(mail.text, HasSubstr("confirmed a change"));
    EXPECT_THAT(mail.text, Not(HasSubstr("logged in")));
    mailbox.wait_for(person.email, "passwordChanged");
    EXPECT_EQ(mailbox.all(person.email, "backupCodeUsed").size(), 1U);
}

TEST(TFA_15, WhatTheOperatorTurnedOffIsCalledOff) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    auto& services = service.app().services();
    const auto reset = [&](TwoFactor::After after) {
        const auto user = run(services.users.find(person.id));
        EXPECT_TRUE(run(services.two_factor.reset(Actor::operator_at_the_machine(), *user, after, {})));
    };
    const Mailbox mailbox(service);
    reset(TwoFactor::After::set_up_required);
    EXPECT_THAT(mailbox.wait_for(person.email, "twoFactorReset").text, HasSubstr("reset"));
    reset(TwoFactor::After::off);
    const ReceivedMail mail = mailbox.wait_for(person.email, "twoFactorRemoved");
    EXPECT_THAT(mail.subject, HasSubstr("off"));
    EXPECT_THAT(mail.text, HasSubstr("turned off"));
    EXPECT_EQ(mailbox.all(person.email, "twoFactorReset").size(), 1U);
}

}  // namespace
}  // namespace consentry::tests
