// TFA-15: Consentry informs the owner of an account about events of its second factor, in a mail that fits each event.
#include <memory>

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

// An entry of it: the wrong codes in a row, and those of a day.
std::vector<std::string> told(int in_a_row, int in_a_day, bool is_locked = false) {
    return {json::serialize(json::object{{"attempt", in_a_row}, {"attemptsInADay", in_a_day}, {"locked", is_locked}})};
}

// An attacker who knows the password, while the owner logs in again and again.
struct Guessed {
    Guessed() : service(suite_service()) { service.turn_two_factor_on(person); }
    explicit Guessed(Environment settings) : own(std::make_unique<Service>(std::move(settings))), service(*own) {
        service.turn_two_factor_on(person);
    }
    void guess(int times = 1) {
        for (int n = 0; n < times; ++n)
            EXPECT_EQ(service.verify(service.challenge_of(person), wrong_code(service, person, n)).status, 401U);
    }
    void log_in() { EXPECT_EQ(service.verify(service.challenge_of(person), service.next_code(person)).status, 200U); }

    std::unique_ptr<Service> own;  // null on the service of the suite
    Service& service;
    Person person = service.make_person();
};

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
    EXPECT_THAT(failures(service, person), ElementsAre(told(3, 3), told(4, 4), told(5, 5, true), told(6, 6, true)));
}

// Two wrong codes between two right ones lock nothing.
TEST(TFA_15, RightCodesHideNoWrongOnesOfADay) {
    Guessed t;
    const Mailbox mailbox(t.service);
    t.guess(2);
    t.log_in();
    EXPECT_TRUE(failures(t.service, t.person).empty()) << "may be typing errors";
    t.guess();
    EXPECT_THAT(mailbox.wait_for(t.person.email, "twoFactorFailed").text,
                HasSubstr("someone has passed the first step"));
    EXPECT_THAT(failures(t.service, t.person), ElementsAre(told(1, 3)));
    t.guess();
    for (int round = 0; round < 5; ++round) {
        t.log_in();
        t.guess(2);
    }
    mailbox.wait_for(t.person.email, "twoFactorFailed", 1);
    EXPECT_THAT(failures(t.service, t.person), ElementsAre(told(1, 3), told(2, 10))) << "and no more of this day";
    EXPECT_EQ(mailbox.all(t.person.email, "twoFactorFailed").size(), 2U);
    EXPECT_EQ(two_factor_attempt(t.service, t.person), "2") << "the lock counts those in a row";
}

TEST(TFA_15, ADayOfWrongCodesBeginsWithTheFirst) {
    Guessed t;
    const auto first_and_owner = [&] {
        t.guess();
        t.log_in();
        t.service.clock().advance(std::chrono::hours{24} - std::chrono::seconds{30} - milliseconds{1});
    };
    first_and_owner();
    t.guess(2);
    EXPECT_THAT(failures(t.service, t.person), ElementsAre(told(2, 3))) << "a day less a millisecond";
    t.log_in();
    t.service.pass(std::chrono::hours{24});
    first_and_owner();
    t.service.clock().advance(milliseconds{1});
    t.guess(2);
    EXPECT_EQ(failures(t.service, t.person).size(), 1U) << "the first one is a day old";
    t.log_in();
    t.guess();
    EXPECT_THAT(failures(t.service, t.person), ElementsAre(told(1, 3), told(2, 3)));
}

TEST(TFA_15, NoResetHidesWrongCodesOfADay) {
    Guessed t;
    t.guess(2);
    reset_two_factor(t.service, t.person);
    const Answer login = t.service.log_in(t.person);
    t.person.secret = login.text("data.secret");
    const json::object wrong{{"challengeToken", login.text("data.challengeToken")},
                             {"code", wrong_code(t.service, t.person)}};
    EXPECT_EQ(t.service.post("/api/public/user/login/2fa/enable", wrong).status, 401U);
    EXPECT_THAT(failures(t.service, t.person), ElementsAre(told(1, 3)));
}

TEST(TFA_15, AStepOfTheClockHidesNoWrongCodes) {
    Guessed t(Environment{});
    const auto succeed = [&] { t.service.sql("UPDATE two_factors SET attempt = 0"); };  // codes depend on the clock
    t.guess();
    t.service.clock().step(std::chrono::hours{48});
    t.guess();
    t.service.clock().step(-std::chrono::hours{96});
    succeed();
    t.guess();
    EXPECT_THAT(failures(t.service, t.person), ElementsAre(told(1, 3)));
    // As after a start with a clock that was a year ahead before: the day would last for a year.
    t.service.sql("UPDATE two_factors SET failures = 11, failures_since = failures_since + 31536000000");
    succeed();
    t.guess(2);
    succeed();
    t.guess();
    EXPECT_EQ(failures(t.service, t.person).size(), 2U);
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

// An attacker who knows the password may have turned it on. The owner can then neither log in nor reset the password,
// so the notice must not send them there.
TEST(TFA_15, WhoDidNotTurnItOnIsSentToTheOperators) {
    Service& service = suite_service();
    const Mailbox mailbox(service);
    for (const auto& [language, operators] : {std::pair{"en", "contact the operators of Consentry"},
                                              {"de", "an die Betreiber von Consentry"},
                                              {"es", "avise de inmediato a los responsables de Consentry"},
                                              {"fr", "prévenez immédiatement les responsables de Consentry"},
                                              {"id", "segera beri tahu pengelola Consentry"},
                                              {"ja", "すぐに Consentry の運営者にお知らせください"}}) {
        Person person = service.make_person();
        service.sql("UPDATE users SET language = '" + std::string(language) + "' WHERE id = '" + person.id.text() +
                    "'");
        service.turn_two_factor_on(person);
        EXPECT_THAT(mailbox.wait_for(person.email, "twoFactorEnabled").text, HasSubstr(operators));
    }
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
