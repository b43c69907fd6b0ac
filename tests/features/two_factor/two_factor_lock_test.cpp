// The lock of the second factor: all operations and all concurrent attempts share one counter and one ladder of locks.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/lock_ladder.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* verify_a = "/api/user/login/2fa";
constexpr const char* verify_b = "/api/public/user/login/2fa/verify";
constexpr const char* disable_a = "/api/user/2fa";
constexpr const char* disable_b = "/api/shared/user/2fa/disable";
constexpr const char* change_path = "/api/shared/user/change-password";

// Climbs the ladder of locks; each call of `fail` makes one wrong attempt.
void climb(Service& service, const std::function<Answer()>& fail) {
    for (int attempt = 1; attempt <= 5; ++attempt) expect_wrong_factor(fail());
    // Answers round the remaining wait up to whole seconds, but the lock itself ends to the millisecond.
    int attempt = 5;
    for (const std::int64_t wait : {240, 276, 317, 364, 418, 480}) {
        expect_two_factor_lock(fail(), wait);
        service.clock().advance(LockLadder{}.duration(attempt++) - milliseconds{1});
        expect_two_factor_lock(fail(), 1);
        service.clock().advance(milliseconds{1});
        expect_wrong_factor(fail());
    }
}

TEST(TFA_4, TheLadderWithCodes) {
    Enrolled it;
    climb(it.service, [&] { return it.service.verify(it.challenge(), it.wrong()); });
}

TEST(TFA_4, TheLadderWithBackupCodes) {
    Enrolled it;
    climb(it.service, [&] { return it.service.verify_backup(it.challenge(), wrong_backup_code); });
}

TEST(TFA_4, TheLadderWithBothInTurn) {
    Enrolled it;
    int turn = 0;
    climb(it.service, [&] {
        return ++turn % 2 == 0 ? it.service.verify(it.challenge(), it.wrong())
                               : it.service.verify_backup(it.challenge(), wrong_backup_code);
    });
}

TEST(TFA_4, WhileLockedNothingIsEvaluatedConsumedOrCounted) {
    Enrolled it;
    const std::string challenge = it.challenge();
    for (int i = 0; i < 5; ++i) expect_wrong_factor(it.service.verify(challenge, it.wrong(i)));
    const std::string row = "SELECT * FROM two_factors WHERE user_id = '" + it.person.id.text() + "'";
    const auto before = it.service.sql(row);
    for (int i = 0; i < 5; ++i) {
        expect_two_factor_lock(it.service.verify(challenge, it.service.code(it.person, 1)), 240);
        expect_two_factor_lock(it.service.verify(challenge, it.wrong()), 240);
        expect_two_factor_lock(it.service.verify_backup(challenge, it.person.backup_codes[0]), 240);
        expect_two_factor_lock(it.service.verify_backup(challenge, wrong_backup_code), 240);
    }
    EXPECT_EQ(it.service.sql(row), before);
    EXPECT_EQ(backup_codes_left(it.service, it.person), "8");
    it.service.clock().advance(seconds{240});
    EXPECT_EQ(two_factor_attempt(it.service, it.person), "5") << "the count outlives the lock";
    EXPECT_EQ(it.service.verify(challenge, it.service.code(it.person)).status, 200U) << "and the challenge lives";
    EXPECT_EQ(two_factor_attempt(it.service, it.person), "0");
}

TEST(TFA_4, SuccessAfterALockBeginsTheLadderAnew) {
    Enrolled it;
    for (int i = 0; i < 5; ++i) it.service.verify(it.challenge(), it.wrong(i));
    it.service.clock().advance(seconds{240});
    EXPECT_EQ(it.service.verify_backup(it.challenge(), it.person.backup_codes[0]).status, 200U);
    for (int i = 0; i < 4; ++i) expect_wrong_factor(it.service.verify(it.challenge(), it.wrong(i)));
    EXPECT_EQ(it.service.verify(it.challenge(), it.service.code(it.person)).status, 200U);
    for (int i = 0; i < 5; ++i) expect_wrong_factor(it.service.verify(it.challenge(), it.wrong(i)));
    expect_two_factor_lock(it.service.verify(it.challenge(), it.wrong()), 240);
}

TEST(TFA_5, AllPathsOfAnEnrolledUserShareOneCounterAndOneLock) {
    Enrolled it;
    const Service& service = it.service;
    it.service.clock().advance(seconds{30});
    const std::string early = it.challenge();
    const Headers caller = bearer(it.tokens.access);
    const json::object change{{"oldPassword", it.person.password}, {"newPassword", "Copper-Meadow-77"}};
    const auto changed_with = [&](const char* name, const std::string& proof) {
        json::object body = change;
        body[name] = proof;
        return service.patch(change_path, body, caller);
    };
    expect_wrong_factor(service.post(verify_a, {{"challengeToken", early}, {"code", it.wrong(0)}}));
    expect_wrong_factor(service.patch(verify_b, {{"challengeToken", it.challenge()}, {"code", it.wrong(1)}}));
    expect_wrong_factor(service.erase(disable_a, {{"backupCode", wrong_backup_code}}, caller));
    expect_wrong_factor(service.erase(disable_b, {{"code", it.wrong(2)}}, caller));
    expect_wrong_factor(changed_with("backupCode", wrong_backup_code));

    const std::string right = it.service.code(it.person);
    const std::string& backup = it.person.backup_codes[0];
    for (const std::string& challenge : {early, it.challenge()})
        for (const char* path : {verify_a, verify_b, "/api/v1/user/login/2fa/verify"}) {
            expect_two_factor_lock(service.post(path, {{"challengeToken", challenge}, {"code", right}}), 240);
            expect_two_factor_lock(service.patch(path, {{"challengeToken", challenge}, {"backupCode", backup}}), 240);
        }
    for (const char* path : {disable_a, disable_b, "/api/user/2fa/disable", "/api/v1/shared/user/2fa"}) {
        expect_two_factor_lock(service.erase(path, {{"code", right}}, caller), 240);
        expect_two_factor_lock(service.erase(path, {{"backupCode", backup}}, caller), 240);
    }
    expect_two_factor_lock(changed_with("code", right), 240);
    expect_two_factor_lock(changed_with("backupCode", backup), 240);
    EXPECT_EQ(backup_codes_left(it.service, it.person), "8");
}

// The ways to send a factor that AllPathsOfAnEnrolledUserShareOneCounterAndOneLock leaves out. The person is logged in.
struct FactorWay {
    std::string name;
    std::function<Answer(Enrolled&, Browser&, const std::string& code)> send;
};
Answer send_form(Browser& browser, const std::string& path, Browser::Fields fields, const std::string& code) {
    fields.emplace_back("code", code);
    browser.open(path);
    return browser.send(path, std::move(fields));
}
std::string reset_link(const Enrolled& it) {
    forget(it.service, it.person.email);
    return forgotten_token(it.service, it.person.email);
}
const std::vector<FactorWay>& other_ways() {
    static const std::vector<FactorWay> ways{
        {"password reset",
         [](Enrolled& it, Browser&, const std::string& code) {
             return reset(it.service, reset_link(it), new_password, {{"code", code}});
         }},
        {"deletion",
         [](Enrolled& it, Browser&, const std::string& code) {
             return it.service.erase("/api/shared/user/delete/self", {{"code", code}}, bearer(it.tokens.access));
         }},
        {"confirmation",
         [](Enrolled& it, Browser&, const std::string& code) {
             return it.service.post("/api/shared/user/session/confirm", {{"code", code}}, bearer(it.tokens.access));
         }},
        {"page of the second step",
         [](Enrolled& it, Browser&, const std::string& code) {
             Browser another(it.service);
             return another.log_in_with_code(it.person, code);
         }},
        {"page of the confirmation",
         [](Enrolled&, Browser& browser, const std::string& code) {
             return send_form(browser, "/login/confirm", {}, code);
         }},
        {"page of the password reset",
         [](Enrolled& it, Browser&, const std::string& code) {
             Browser another(it.service);
             return send_form(another, "/forgot-password/" + reset_link(it), {{"newPassword", new_password}}, code);
         }},
        {"page of the password",
         [](Enrolled& it, Browser& browser, const std::string& code) {
             return send_form(browser, "/change-password",
                              {{"oldPassword", it.person.password}, {"newPassword", new_password}}, code);
         }},
        {"page of the deletion",
         [](Enrolled& it, Browser& browser, const std::string& code) {
             return send_form(browser, "/account/data", {{"email", it.person.email}}, code);
         }},
        {"page that turns it off",
         [](Enrolled&, Browser& browser, const std::string& code) {
             return send_form(browser, "/account/two-factor/off", {}, code);
         }},
    };
    return ways;
}

TEST(TFA_5, EveryOtherPathAddsToTheSameSumAndObeysTheSameLock) {
    for (const auto& [name, send] : other_ways()) {
        SCOPED_TRACE(name);
        Enrolled it;
        const Service& service = it.service;
        Browser browser(service);
        EXPECT_EQ(browser.log_in_with_code(it.person, it.service.next_code(it.person)).status, 303);
        for (int i = 0; i < 4; ++i) expect_wrong_factor(service.verify(it.challenge(), it.wrong(i)));
        EXPECT_EQ(send(it, browser, it.wrong()).status, 401);
        EXPECT_EQ(two_factor_attempt(service, it.person), "5");
        const std::string right = service.code(it.person, 1);
        expect_two_factor_lock(service.verify(it.challenge(), right), 240);
        EXPECT_EQ(send(it, browser, right).status, 429);
        EXPECT_EQ(two_factor_attempt(service, it.person), "5");
        EXPECT_EQ(service.log_in(it.person).status, 200U) << "neither deleted nor given another password";
    }
}

TEST(TFA_5, ConfirmingIsCountedOnBothRouteSets) {
    Service& service = suite_service();
    Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    person.secret = service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    const char* paths[] = {"/api/user/2fa/confirm", "/api/shared/user/2fa/enable", "/api/shared/user/2fa/confirm",
                           "/api/user/2fa/enable", "/api/v1/user/2fa/confirm"};
    for (const char* path : paths)
        expect_wrong_factor(service.post(path, {{"code", wrong_code(service, person)}}, caller));
    for (const char* path : paths)
        expect_two_factor_lock(service.post(path, {{"code", service.code(person)}}, caller), 240);
    // A new set-up clears neither the count nor the lock.
    person.secret = service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    expect_two_factor_lock(service.post(paths[0], {{"code", service.code(person)}}, caller), 240);
    service.clock().advance(seconds{240});
    EXPECT_EQ(service.post(paths[0], {{"code", service.code(person)}}, caller).status, 200U);
}

TEST(TFA_5, ForcedSetUpIsCountedAndLockedAlike) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    reset_two_factor(service, person);
    const Answer login = service.log_in(person);
    person.secret = login.text("data.secret");
    const std::string challenge = login.text("data.challengeToken");
    const auto enable = [&](const char* path, const std::string& code) {
        return service.post(path, {{"challengeToken", challenge}, {"code", code}});
    };
    const char* paths[] = {"/api/public/user/login/2fa/enable", "/api/v1/user/login/2fa/enable"};
    for (int i = 0; i < 5; ++i) expect_wrong_factor(enable(paths[i % 2], wrong_code(service, person)));
    for (const char* path : paths) expect_two_factor_lock(enable(path, service.code(person)), 240);
    service.clock().advance(seconds{240});
    EXPECT_EQ(enable(paths[0], service.code(person)).status, 200U);
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).status, 200U);
}

void expect_five_of_a_thousand(int rounds, bool from_many_addresses) {
    Service& service = suite_service();
    for (int round = 0; round < rounds; ++round) {
        Person person = service.make_person();
        service.turn_two_factor_on(person);
        const auto challenges = challenges_of(service, person, 50);
        std::vector<Call> calls;
        for (int i = 0; i < 1'000; ++i) {
            Call call{i % 2 == 0 ? verify_a : verify_b,
                      {{"challengeToken", challenges[static_cast<std::size_t>(i) % 50]}, {"code", ""}}};
            call.body["code"] = wrong_code(service, person, i);
            if (from_many_addresses) call.from = "127.2." + std::to_string(i / 250) + "." + std::to_string(1 + i % 250);
            calls.push_back(std::move(call));
        }
        const auto answers = all_at_once(service, calls);
        EXPECT_EQ(count(answers, 401, "twoFactorInvalid"), 5U) << round;
        EXPECT_EQ(count(answers, 429, "twoFactorAttemptTemporaryLock"), 995U) << round;
        EXPECT_EQ(two_factor_attempt(service, person), "5") << round;
        for (const Answer& answer : answers)
            if (answer.status == 429) EXPECT_EQ(answer.number("data.retryAfterSeconds"), 240);
    }
}

TEST(TFA_6, AThousandWrongCodesAtOnceAreFiveGuesses) { expect_five_of_a_thousand(2, false); }
TEST(LIM_3, CodesFromAThousandAddressesAreFiveGuesses) { expect_five_of_a_thousand(1, true); }

TEST(TFA_6, MixedPathsAtOnceAreFiveGuesses) {
    Enrolled it;
    const std::string challenge = it.challenge();
    std::vector<Call> calls;
    for (int i = 0; i < 400; ++i) {
        switch (i % 4) {
            case 0:
                calls.push_back({verify_a, {{"challengeToken", challenge}, {"code", it.wrong(i)}}});
                break;
            case 1:
                calls.push_back({verify_b, {{"challengeToken", challenge}, {"backupCode", wrong_backup_code}}});
                break;
            case 2:
                calls.push_back({disable_a, {{"code", it.wrong(i)}}, bearer(it.tokens.access), "DELETE"});
                break;
            default:
                calls.push_back({disable_b, {{"backupCode", wrong_backup_code}}, bearer(it.tokens.access), "DELETE"});
        }
    }
    const auto answers = all_at_once(it.service, calls);
    EXPECT_EQ(count(answers, 401, "twoFactorInvalid"), 5U);
    EXPECT_EQ(count(answers, 429, "twoFactorAttemptTemporaryLock"), 395U);
}

TEST(TFA_6, ARightCodeAmongTheWrongOnesEndsInOneOfTwoStates) {
    // The right code either succeeds before the fifth wrong one or meets the lock. It never opens an existing lock.
    for (int round = 0; round < 5; ++round) {
        Enrolled it;
        it.service.clock().advance(seconds{30});
        const auto challenges = challenges_of(it.service, it.person, 2);
        std::vector<Call> calls;
        for (int i = 0; i < 200; ++i)
            calls.push_back({verify_a, {{"challengeToken", challenges[0]}, {"code", it.wrong(i)}}});
        calls[static_cast<std::size_t>(round) * 40].body = {{"challengeToken", challenges[1]},
                                                            {"code", it.service.code(it.person)}};
        const auto answers = all_at_once(it.service, calls);
        const auto successes = count(answers, 200);
        EXPECT_LE(successes, 1U);
        EXPECT_LE(count(answers, 401, "twoFactorInvalid"), successes == 1 ? 9U : 5U) << "four before it, five after";
        expect_two_factor_lock(it.service.verify(challenges[0], it.service.code(it.person, 1)), 240);
    }
}

TEST(TFA_7, CountAndLockSurviveARestart) {
    Enrolled it{Environment{}};
    for (int i = 0; i < 4; ++i) expect_wrong_factor(it.service.verify(it.challenge(), it.wrong(i)));
    it.service.restart();
    expect_wrong_factor(it.service.verify(it.challenge(), it.wrong()));
    it.service.restart();
    it.service.clock().advance(seconds{100});
    expect_two_factor_lock(it.service.verify(it.challenge(), it.service.code(it.person)), 140);
}

TEST(TFA_7, TheLockStandsWhenTheCacheHasForgottenEverything) {
    Enrolled it({{"CACHE_MEMORY_MAX_IN_MB", "1"}});
    const std::string challenge = it.challenge();
    for (int i = 0; i < 5; ++i) expect_wrong_factor(it.service.verify(challenge, it.wrong(i)));
    it.service.lose_cache();
    EXPECT_EQ(it.service.verify(challenge, it.service.code(it.person, 1)).code_name(), "twoFactorChallengeInvalid")
        << "pushed out of the cache: who holds it logs in again";
    expect_two_factor_lock(it.service.verify(it.challenge(), it.service.code(it.person, 1)), 240);
    expect_two_factor_lock(
        it.service.erase(disable_a, {{"backupCode", it.person.backup_codes[0]}}, bearer(it.tokens.access)), 240);
}

TEST(TFA_8, NoStoredCountMakesALockThatIsShortNegativeOrWrapped) {
    Enrolled it;
    const auto store = [&](std::int64_t count) {
        it.service.sql("UPDATE two_factors SET attempt = " + std::to_string(count) +
                       ", locked_until = NULL WHERE user_id = '" + it.person.id.text() + "'");
    };
    std::int64_t longest = 0;
    for (const std::int64_t stored :
         {std::int64_t{4}, std::int64_t{99}, std::int64_t{229}, std::int64_t{230}, std::int64_t{231},
          std::int64_t{5'036}, std::int64_t{2'147'483'646}, std::int64_t{1} << 62}) {
        store(stored);
        expect_wrong_factor(it.service.verify(it.challenge(), it.wrong()));
        const Answer locked = it.service.verify(it.challenge(), it.service.code(it.person, 1));
        EXPECT_EQ(locked.status, 429U) << stored;
        const std::int64_t wait = locked.number("data.retryAfterSeconds");
        EXPECT_GE(wait, std::max<std::int64_t>(240, longest)) << stored;
        longest = wait;
    }
    store(-3);
    expect_wrong_factor(it.service.verify(it.challenge(), it.wrong()));
    EXPECT_EQ(it.service.verify(it.challenge(), it.service.code(it.person, 1)).status, 200U);
}

TEST(TFA_9, NothingButAFullSuccessOrTheAdminClearsTheCount) {
    Enrolled it{Environment{}};
    Service& service = it.service;
    for (int i = 0; i < 4; ++i) expect_wrong_factor(service.verify(it.challenge(), it.wrong(i)));
    const Headers caller = bearer(it.tokens.access);
    it.challenge();  // the password step, twice, each time with a new challenge
    it.challenge();
    EXPECT_EQ(service.post("/api/user/2fa/setup", {}, caller).status, 400U);
    EXPECT_EQ(service.get("/api/user/2fa/status", caller).status, 200U);
    EXPECT_EQ(service.post("/api/user/2fa/backup/regenerate", {}, caller).status, 201U);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer(it.tokens.refresh)).status, 200U);
    service.restart();
    EXPECT_EQ(two_factor_attempt(service, it.person), "4");
    expect_wrong_factor(service.verify(it.challenge(), it.wrong()));
    expect_two_factor_lock(service.verify(it.challenge(), service.code(it.person, 1)), 240);
}

TEST(TFA_9, TheAdminResetClearsCountAndLock) {
    Enrolled it;
    for (int i = 0; i < 5; ++i) it.service.verify(it.challenge(), it.wrong(i));
    reset_two_factor(it.service, it.person);
    EXPECT_EQ(
        it.service.sql("SELECT attempt, locked_until FROM two_factors WHERE user_id = '" + it.person.id.text() + "'"),
        (std::vector<std::vector<std::string>>{{"0", ""}}));
}

TEST(TFA_9, TheAdminResetUnlocksASetUp) {
    Service& service = suite_service();
    Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    person.secret = service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    const auto confirm = [&](const std::string& code) {
        return service.post("/api/user/2fa/confirm", {{"code", code}}, caller);
    };
    for (int i = 0; i < 5; ++i) expect_wrong_factor(confirm(wrong_code(service, person)));
    expect_two_factor_lock(confirm(service.code(person)), 240);
    reset_two_factor(service, person);
    EXPECT_EQ(two_factor_attempt(service, person), "0");
    EXPECT_EQ(service.sql("SELECT count(*) FROM activity_log WHERE action = 'adminUserUnlock' AND user_id = '" +
                          person.id.text() + "'"),
              (std::vector<std::vector<std::string>>{{"1"}}));
    EXPECT_EQ(confirm(service.code(person)).status, 200U) << "nothing else has changed";
}

TEST(TFA_9, TheAdminResetOfNothingIsRefused) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    const Headers admin = bearer(service.tokens_of(service.make_person(Role::admin)).access);
    const std::string path = "/api/admin/user/update/" + person.id.text() + "/2fa/reset";
    EXPECT_EQ(service.patch(path, {}, admin).code_name(), "twoFactorNotEnabled");
    service.post("/api/user/2fa/setup", {}, caller);
    EXPECT_EQ(service.patch(path, {}, admin).code_name(), "twoFactorNotEnabled");
}

}  // namespace
}  // namespace consentry::tests
