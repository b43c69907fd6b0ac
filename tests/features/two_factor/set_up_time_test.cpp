// How long an owner whose second factor was reset can set up another one. A stranger with the password could do so,
// too, so that time ends. Only another reset, or a mailed link that proves the mailbox, begins it again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/calls/account_calls.hpp"

namespace consentry::tests {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

constexpr days set_up_lifetime{7};
constexpr milliseconds moment{1};

void expect_over(const Answer& answer) {
    EXPECT_EQ(answer.status, 403U) << answer.body;
    EXPECT_EQ(answer.code_name(), "twoFactorSetupExpired");
    EXPECT_EQ(answer.number("statusCode"), 5138);
    EXPECT_FALSE(answer.body.contains("otpauth")) << "no secret is handed out";
}

// An account whose second factor has just been reset.
struct ResetFactor : Enrolled {
    ResetFactor() { reset_two_factor(service, person); }
    explicit ResetFactor(Environment settings) : Enrolled(std::move(settings)) { reset_two_factor(service, person); }

    Answer log_in() const { return service.log_in(person); }
    // Logs in, sets up the second factor, and completes the login.
    void set_up() {
        const Answer login = log_in();
        EXPECT_TRUE(login.boolean("data.isRequiredSetup")) << login.body;
        complete(login);
    }
    void complete(const Answer& login) {
        person.secret = login.text("data.secret");
        const std::string challenge = login.text("data.challengeToken");
        const Answer enabled = service.post("/api/public/user/login/2fa/enable",
                                            {{"challengeToken", challenge}, {"code", service.next_code(person)}});
        EXPECT_EQ(enabled.status, 200U) << enabled.body;
        EXPECT_EQ(service.verify(challenge, service.next_code(person)).status, 200U);
    }
    std::string row(const std::string& columns) const {
        return one(service, "SELECT " + columns + " FROM two_factors WHERE user_id = '" + person.id.text() + "'");
    }
    std::string generation() const {
        return one(service, "SELECT security_version FROM users WHERE id = '" + person.id.text() + "'");
    }
    std::size_t notices() const { return mails(service, person.email, "twoFactorReset"); }
    // Sets a new password with a mailed link.
    void recover(std::size_t nth = 0) {
        EXPECT_EQ(forget(service, person.email).status, 200U);
        person.password = "Copper-Meadow-" + std::to_string(77 + nth);
        const Answer done = reset(service, forgotten_token(service, person.email, nth), person.password);
        EXPECT_EQ(done.status, 200U) << done.body;
    }
};

TEST(TFA_12, AForcedSetUpEndsAfterSevenDays) {
    ResetFactor it;
    it.service.pass(set_up_lifetime);
    expect_over(it.log_in());
    EXPECT_EQ(it.row("count(secret)"), "0");
    EXPECT_EQ(it.service.live_sessions(it.person), 0U);
    EXPECT_EQ(it.service.log_in(it.person.email, wrong_password).code_name(), "passwordNotMatch")
        << "only the right password learns of it";
}

TEST(TFA_12, AMomentBeforeItsEndAForcedSetUpWorks) {
    ResetFactor it;
    it.service.clock().advance(set_up_lifetime - moment);
    it.set_up();
    reset_two_factor(it.service, it.person);
    it.service.clock().advance(set_up_lifetime - moment);
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup"));
    it.service.clock().advance(moment);
    expect_over(it.log_in());
}

TEST(TFA_12, TheSettingSaysHowLongAForcedSetUpIsPossible) {
    ResetFactor it({{"AUTH_TWO_FACTOR_SETUP_EXPIRED_IN_HOURS", "1"}});
    it.service.clock().advance(hours{1} - moment);
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup"));
    it.service.clock().advance(moment);
    expect_over(it.log_in());
    it.service.restart({{"AUTH_TWO_FACTOR_SETUP_EXPIRED_IN_HOURS", "2"}});
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup")) << "it applies to earlier resets as well";
}

// A stranger with the password may have logged in once, and have kept the secret.
TEST(TFA_12, ASecretThatALoginHasGotDoesNotProlongAForcedSetUp) {
    ResetFactor it;
    const std::string challenge = it.log_in().text("data.challengeToken");
    it.service.pass(set_up_lifetime);
    const std::string sealed = it.row("secret");
    expect_over(it.log_in());
    EXPECT_EQ(it.row("secret"), sealed);
    EXPECT_EQ(it.service
                  .post("/api/public/user/login/2fa/enable",
                        {{"challengeToken", challenge}, {"code", it.service.next_code(it.person)}})
                  .code_name(),
              "twoFactorChallengeInvalid");
}

TEST(TFA_12, AChallengeFromBeforeTheEndOfAForcedSetUpCompletes) {
    ResetFactor it;
    it.service.clock().advance(set_up_lifetime - minutes{1});
    const Answer login = it.log_in();
    it.service.clock().advance(minutes{3});
    expect_over(it.log_in());
    it.complete(login);
    EXPECT_EQ(it.row("set_up_allowed_at IS NULL"), one(it.service, "SELECT TRUE"));
}

// A right password is no guess, whatever else is missing.
TEST(TFA_12, RefusedForcedSetUpsLockNoPassword) {
    ResetFactor it;
    it.service.pass(set_up_lifetime);
    for (int i = 0; i < 4; ++i) it.service.log_in(it.person.email, wrong_password);
    for (int i = 0; i < 7; ++i) expect_over(it.log_in());
    for (int i = 0; i < 5; ++i) it.service.log_in(it.person.email, wrong_password);
    EXPECT_EQ(it.log_in().code_name(), "passwordAttemptMax") << "wrong ones are counted as ever";
}

TEST(TFA_12, AnotherResetBeginsTheTimeAgain) {
    ResetFactor it;
    it.service.pass(set_up_lifetime);
    expect_over(it.log_in());
    reset_two_factor(it.service, it.person);
    EXPECT_EQ(it.notices(), 2U);
    it.service.clock().advance(set_up_lifetime - minutes{1});
    it.set_up();
}

TEST(TFA_12, AResetAnHourAfterTheFirstBeginsTheTimeAgain) {
    ResetFactor it;
    it.service.clock().advance(hours{1});
    reset_two_factor(it.service, it.person);
    EXPECT_EQ(it.notices(), 2U);
    it.service.clock().advance(set_up_lifetime - minutes{30});
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup"));
}

// RAC-4: an administrator sends the request again if the answer was lost.
TEST(TFA_12, AResetRepeatedWithinTheHourChangesNothing) {
    ResetFactor it;
    const std::string generation = it.generation();
    it.service.clock().advance(hours{1} - moment);
    reset_two_factor(it.service, it.person);
    EXPECT_EQ(it.generation(), generation);
    EXPECT_EQ(it.notices(), 1U);
    it.service.clock().advance(set_up_lifetime - hours{1} + moment);
    expect_over(it.log_in());
}

TEST(TFA_12, AMailedLinkBeginsTheTimeAgain) {
    ResetFactor it;
    it.service.pass(set_up_lifetime);
    const std::string former = it.person.password;
    it.recover();
    it.service.clock().advance(set_up_lifetime - minutes{1});
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup")) << "after the end";
    EXPECT_EQ(it.service.log_in(it.person.email, former).code_name(), "passwordNotMatch");
    it.recover(1);
    it.service.clock().advance(set_up_lifetime - minutes{1});
    it.set_up();
}

TEST(TFA_12, OfAMailedLinkOnlyASuccessBeginsTheTimeAgain) {
    ResetFactor it;
    it.service.pass(set_up_lifetime);
    EXPECT_EQ(forget(it.service, it.person.email).status, 200U);
    const std::string token = forgotten_token(it.service, it.person.email);
    expect_over(it.log_in());
    EXPECT_EQ(reset(it.service, token, "Password1!").status, 422U);
    EXPECT_EQ(reset(it.service, token, it.person.password).status, 400U) << "the current one";
    EXPECT_EQ(reset(it.service, std::string(100, 'A'), new_password).code_name(), "tokenInvalid");
    expect_over(it.log_in());
}

TEST(TFA_12, AMailedLinkForcesNoSetUpOnAnybodyElse) {
    Service& service = suite_service();
    const Person person = service.make_person();
    EXPECT_EQ(forget(service, person.email).status, 200U);
    EXPECT_EQ(reset(service, forgotten_token(service, person.email), new_password).status, 200U);
    EXPECT_TRUE(service.log_in(person.email, new_password).has("data.tokens"));
}

// As earlier versions wrote it, and as they still do during a rolling update.
TEST(TFA_12, AForcedSetUpOfAnEarlierVersionHasNoEndUntilTheNextReset) {
    ResetFactor it;
    const auto as_earlier = [&] {
        it.service.sql("UPDATE two_factors SET set_up_allowed_at = NULL WHERE user_id = '" + it.person.id.text() + "'");
    };
    as_earlier();
    it.service.pass(set_up_lifetime);
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup"));
    reset_two_factor(it.service, it.person);
    as_earlier();
    reset_two_factor(it.service, it.person);
    EXPECT_EQ(it.notices(), 3U) << "not taken for a repeated request";
    it.service.pass(set_up_lifetime);
    expect_over(it.log_in());
}

// The clock was put back after it, so its age is unknown.
TEST(TFA_12, AResetFromTheFutureAllowsNoForcedSetUp) {
    ResetFactor it(Environment{});
    it.service.clock().step(-clock_ahead_max);
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup")) << "as far ahead as clocks of other instances may be";
    it.service.clock().step(-moment);
    expect_over(it.log_in());
    reset_two_factor(it.service, it.person);
    EXPECT_TRUE(it.log_in().boolean("data.isRequiredSetup")) << "another reset has a known age";
}

TEST(TFA_12, TheOwnerIsToldUntilWhenTheSetUpIsPossible) {
    ResetFactor it;
    const std::string until = to_iso8601(it.service.clock().now() + set_up_lifetime).substr(0, 10);
    EXPECT_THAT(Mailbox(it.service).wait_for(it.person.email, "twoFactorReset").text, HasSubstr("by " + until));
}

}  // namespace
}  // namespace consentry::tests
