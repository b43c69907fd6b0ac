// Tests locks and codes when the machine's clock is set, or when the machine is suspended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using std::chrono::hours;

TEST(RAC_6, AStepOfTheClockLeavesALockOfPasswordsAsItIs) {
    Service service;
    const Person person = service.make_person();
    for (int i = 0; i < 5; ++i) service.log_in(person.email, wrong_password);
    for (int i = 0; i < 5; ++i) service.log_in("nobody@example.org", wrong_password);
    for (const hours step : {hours{1}, hours{-2}, hours{1}, hours{24}, hours{-48}}) {
        service.clock().step(step);
        expect_lock(service.log_in(person), 403, "passwordAttemptMax", 240);
        expect_lock(service.log_in("nobody@example.org", wrong_password), 403, "passwordAttemptMax", 240);
    }
    service.clock().advance(seconds{60});  // as while the machine is suspended
    expect_lock(service.log_in(person), 403, "passwordAttemptMax", 180);
    service.clock().advance(seconds{180});
    EXPECT_EQ(service.log_in(person).status, 200U);
    EXPECT_EQ(service.log_in("nobody@example.org", wrong_password).status, 400U);
}

TEST(RAC_6, AStepOfTheClockLetsNoCleanUpForgetALock) {
    Service service;
    for (int i = 0; i < 5; ++i) service.log_in("nobody@example.org", wrong_password);
    service.clock().step(hours{31 * 24});
    EXPECT_THAT(run(service.app().services().clean_up()), testing::IsEmpty());
    expect_lock(service.log_in("nobody@example.org", wrong_password), 403, "passwordAttemptMax", 240);
}

TEST(RAC_6, AStepOfTheClockLeavesALockOfTheSecondFactorAsItIs) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(service.verify(challenge, wrong_code(service, person, i)).status, 401U);
    for (const hours step : {hours{1}, hours{-2}, hours{1}}) {
        service.clock().step(step);
        // Uses a new challenge, because challenges expire by the clock that was set.
        expect_two_factor_lock(service.verify_backup(service.challenge_of(person), person.backup_codes[0]), 240);
    }
    service.clock().advance(seconds{240});
    EXPECT_EQ(service.verify_backup(service.challenge_of(person), person.backup_codes[0]).status, 200U);
}

TEST(RAC_6, ACodeIsNotGoodAgainWhenTheClockIsPutBack) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string code = service.next_code(person);
    EXPECT_EQ(service.verify(service.challenge_of(person), code).status, 200U);
    service.clock().step(hours{1});
    EXPECT_EQ(service.verify(service.challenge_of(person), service.code(person)).status, 200U);
    service.clock().step(hours{-1});
    EXPECT_EQ(service.verify(service.challenge_of(person), code).status, 401U) << "used";
    EXPECT_EQ(service.verify(service.challenge_of(person), service.next_code(person)).status, 401U)
        << "of a step before the last one that was used";
    service.clock().advance(hours{1});
    EXPECT_EQ(service.verify(service.challenge_of(person), service.next_code(person)).status, 200U);
}

TEST(TwoFactor, TheTimesOfItsUseAreThoseOfTheClockThatWasSet) {
    Service service;
    Person person = service.make_person();
    service.clock().step(hours{1});
    const TokenTexts tokens = service.turn_two_factor_on(person);
    const auto status = [&](const std::string& member) {
        return service.get("/api/shared/user/2fa/status", bearer(tokens.access)).text("data." + member);
    };
    EXPECT_EQ(status("confirmedAt"), to_iso8601(service.clock().now()));
    EXPECT_EQ(service.verify(service.challenge_of(person), service.next_code(person)).status, 200U);
    EXPECT_EQ(status("lastUsedAt"), to_iso8601(service.clock().now()));
    const auto changed_at = [&] { return service.sql("SELECT updated_at FROM two_factors").at(0).at(0); };
    EXPECT_EQ(changed_at(), std::to_string(epoch_ms(service.clock().now())));
    service.clock().advance(seconds{1});
    EXPECT_EQ(service.verify(service.challenge_of(person), wrong_code(service, person)).status, 401U);
    EXPECT_EQ(changed_at(), std::to_string(epoch_ms(service.clock().now())));
}

TEST(RAC_6, TheTimeOfLocksDoesNotGoBack) {
    const SystemClock clock;
    EXPECT_LE(std::chrono::abs(clock.lock_time() - clock.now()), seconds{5});
    TimePoint before = clock.lock_time();
    for (int i = 0; i < 10'000; ++i) {
        const TimePoint now = clock.lock_time();
        ASSERT_GE(now, before);
        before = now;
    }
}

}  // namespace
}  // namespace consentry::tests
