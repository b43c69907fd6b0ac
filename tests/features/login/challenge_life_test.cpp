// Tests the challenge between the first and the second factor: it is bound to its account, short-lived and good once.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

void expect_gone(const Answer& answer) {
    EXPECT_EQ(answer.status, 401U) << answer.body;
    EXPECT_EQ(answer.code_name(), "twoFactorChallengeInvalid");
}

// Of a challenge, in the cache.
std::string key_of(const std::string& token) { return "TwoFactor:" + to_base64url(crypto::sha256(token)); }

void turn_two_factor_off(const Enrolled& it) {
    const Answer off =
        it.service.erase("/api/user/2fa", {{"backupCode", it.person.backup_codes[1]}}, bearer(it.tokens.access));
    ASSERT_EQ(off.status, 204U) << off.body;
}

TEST(CHL_1, ItIsOpaqueAndKeptOnlyAsADigest) {
    Enrolled it;
    const std::string token = it.challenge();
    EXPECT_EQ(token.size(), 48U);
    EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
              std::string::npos);
    EXPECT_NE(token, it.challenge());
    auto& cache = it.service.app().services().cache;
    EXPECT_FALSE(run(cache.get("TwoFactor:" + token)));
    const std::string digest = to_base64url(crypto::sha256(token));
    const auto kept = run(cache.get("TwoFactor:" + digest));
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->contains(token));
    EXPECT_FALSE(kept->contains(it.person.id.text()));
    // The digest stored in the cache is not a valid challenge token.
    expect_gone(it.service.verify(digest, it.service.next_code(it.person)));
    for (const auto& row : it.service.sql("SELECT id FROM sessions")) EXPECT_FALSE(row[0].contains(token));
}

TEST(CHL_1, WhoeverWritesToTheCacheCannotMakeOrMoveOne) {
    Enrolled it;
    auto& cache = it.service.app().services().cache;
    const std::string token = it.challenge();
    const auto kept = run(cache.get(key_of(token)));
    ASSERT_TRUE(kept);
    const std::string code = it.service.next_code(it.person);
    const auto put = [&](const std::string& under, std::string value) {
        run(cache.put(key_of(under), std::move(value), std::chrono::minutes{5}));
    };
    const std::string other(48, 'A');
    put(other, *kept);
    expect_gone(it.service.verify(other, code));
    for (std::size_t i = 0; i < kept->size(); i += 7) {
        std::string damaged = *kept;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        put(token, damaged);
        expect_gone(it.service.verify(token, code));
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{11}, std::size_t{12}, kept->size() - 1}) {
        put(token, kept->substr(0, size));
        expect_gone(it.service.verify(token, code));
    }
    put(token, *kept);
    EXPECT_EQ(it.service.verify(token, code).status, 200U);
}

TEST(CHL_1, ItIsBoundToItsUserAndItsPurpose) {
    Enrolled it;
    Person other = it.service.make_person();
    it.service.turn_two_factor_on(other);
    it.service.clock().advance(seconds{30});
    const std::string challenge = it.challenge();
    expect_wrong_factor(it.service.verify(challenge, it.service.code(other)));
    expect_wrong_factor(it.service.verify_backup(challenge, other.backup_codes[0]));
    EXPECT_EQ(two_factor_attempt(it.service, it.person), "2") << "counted for the owner of the challenge";
    EXPECT_EQ(two_factor_attempt(it.service, other), "0");
    EXPECT_EQ(backup_codes_left(it.service, it.person), "8");
    EXPECT_EQ(backup_codes_left(it.service, other), "8");
    EXPECT_EQ(
        it.service
            .post("/api/user/login/2fa/enable", {{"challengeToken", challenge}, {"code", it.service.code(it.person)}})
            .code_name(),
        "twoFactorNotRequiredSetup");
}

TEST(CHL_2, ManyRightAnswersAtOnceMakeOneSession) {
    for (int round = 0; round < 3; ++round) {
        Enrolled it;
        const std::string challenge = it.challenge();
        const std::string code = it.service.next_code(it.person);
        std::vector<Call> calls(200, {"/api/user/login/2fa", {{"challengeToken", challenge}, {"code", code}}});
        const auto answers = all_at_once(it.service, calls);
        EXPECT_EQ(count(answers, 200), 1U);
        EXPECT_EQ(count(answers, 401, "twoFactorChallengeInvalid"), 199U);
        EXPECT_EQ(two_factor_attempt(it.service, it.person), "0") << "late is not wrong";
        EXPECT_EQ(it.service.live_sessions(it.person), 2U);
    }
}

TEST(CHL_2, DifferentRightAnswersAtOnceMakeOneSession) {
    Enrolled it;
    it.service.clock().advance(seconds{300});
    const std::string challenge = it.challenge();
    std::vector<Call> calls;
    for (const std::string& code : it.person.backup_codes)
        calls.push_back({"/api/user/login/2fa", {{"challengeToken", challenge}, {"backupCode", code}}});
    for (const int steps : {-1, 0, 1})
        calls.push_back(
            {"/api/user/login/2fa", {{"challengeToken", challenge}, {"code", it.service.code(it.person, steps)}}});
    const auto answers = all_at_once(it.service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 401, "twoFactorChallengeInvalid"), calls.size() - 1);
    EXPECT_EQ(it.service.live_sessions(it.person), 2U);
    EXPECT_GE(std::stoi(backup_codes_left(it.service, it.person)), 7) << "losers spend nothing";
}

// As a table has that was partitioned, or restored without its constraints.
TEST(CHL_2, NoneIsSpentOnATableWithoutTheUniqueKey) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite cannot drop the key";
    Enrolled it{Environment{}};
    const auto begun = [&] {
        return it.service.sql("SELECT id FROM sessions WHERE challenge_digest IS NOT NULL").size();
    };
    const std::size_t before = begun();
    it.service.sql("ALTER TABLE sessions DROP CONSTRAINT sessions_challenge_digest_key");
    const std::string token = it.challenge();
    EXPECT_EQ(it.service.verify(token, it.service.next_code(it.person)).status, 503U);
    EXPECT_EQ(begun(), before);
}

TEST(CHL_2, ItIsGoodOnceEvenIfTheCacheBringsItBack) {
    Enrolled it;
    const std::string token = it.challenge();
    const std::string key = key_of(token);
    auto& cache = it.service.app().services().cache;
    const auto kept = run(cache.get(key));
    ASSERT_TRUE(kept);
    ASSERT_EQ(it.service.verify(token, it.service.next_code(it.person)).status, 200U);
    expect_gone(it.service.verify(token, it.service.next_code(it.person)));
    run(cache.put(key, *kept, std::chrono::minutes{5}));
    expect_gone(it.service.verify(token, it.service.next_code(it.person)));
    expect_gone(it.service.verify_backup(token, it.person.backup_codes[0]));
    EXPECT_EQ(backup_codes_left(it.service, it.person), "8");
    EXPECT_EQ(it.service.live_sessions(it.person), 2U);
}

TEST(CHL_3, ItLivesThreeHundredSecondsAndNoLonger) {
    Enrolled it;
    const Answer login = it.service.log_in(it.person);
    EXPECT_EQ(login.number("data.challengeExpiresIn"), 300'000);
    const std::string second = it.challenge();
    it.service.clock().advance(milliseconds{299'999});
    EXPECT_EQ(it.service.verify(login.text("data.challengeToken"), it.service.code(it.person)).status, 200U);
    it.service.clock().advance(milliseconds{1});
    expect_gone(it.service.verify(second, it.service.code(it.person, 1)));
}

TEST(CHL_3, TheServicesClockEndsItHoweverLongTheCacheKeepsIt) {
    Enrolled it;
    const std::string token = it.challenge();
    const std::string key = key_of(token);
    auto& cache = it.service.app().services().cache;
    const auto kept = run(cache.get(key));
    ASSERT_TRUE(kept);
    it.service.clock().advance(milliseconds{300'000});
    run(cache.put(key, *kept, std::chrono::hours{1}));
    expect_gone(it.service.verify(token, it.service.code(it.person)));
    EXPECT_EQ(it.service.live_sessions(it.person), 1U);
}

TEST(CHL_3, NeitherFailureNorLockExtendsIt) {
    Enrolled it;
    const std::string challenge = it.challenge();
    it.service.clock().advance(seconds{60});
    for (int i = 0; i < 5; ++i) it.service.verify(challenge, wrong_code(it.service, it.person, i));
    it.service.clock().advance(milliseconds{239'999});
    expect_two_factor_lock(it.service.verify(challenge, it.service.code(it.person)), 1);
    it.service.clock().advance(milliseconds{1});
    expect_gone(it.service.verify(challenge, it.service.code(it.person)));
}

struct EndOfGround {
    const char* name;
    std::function<void(Enrolled&)> act;
    unsigned status;
    const char* answer;
};

std::vector<EndOfGround> ends_of_ground() {
    const auto sql = [](const char* change) {
        return [change](Enrolled& it) {
            it.service.sql(std::string("UPDATE users SET ") + change + " WHERE email = '" + it.person.email + "'");
        };
    };
    return {
        {"password changed",
         [](Enrolled& it) {
             const Answer changed = it.service.patch("/api/user/change-password",
                                                     {{"oldPassword", it.person.password},
                                                      {"newPassword", "Copper-Meadow-77"},
                                                      {"backupCode", it.person.backup_codes[1]}},
                                                     bearer(it.tokens.access));
             ASSERT_EQ(changed.status, 200U) << changed.body;
         },
         401, "twoFactorChallengeInvalid"},
        {"password set by the operator",
         [](Enrolled& it) {
             auto& services = it.service.app().services();
             auto user = run(services.users.find(it.person.id));
             ASSERT_TRUE(run(services.passwords.set(std::move(*user), "Copper-Meadow-77")));
         },
         401, "twoFactorChallengeInvalid"},
        {"two-factor off", turn_two_factor_off, 401, "twoFactorChallengeInvalid"},
        {"two-factor off and on again",
         [](Enrolled& it) {
             turn_two_factor_off(it);
             it.service.clock().advance(seconds{60});
             it.person.backup_codes.clear();
             it.service.turn_two_factor_on(it.person);
         },
         401, "twoFactorChallengeInvalid"},
        {"reset by the admin", [](Enrolled& it) { reset_two_factor(it.service, it.person); }, 401,
         "twoFactorChallengeInvalid"},
        {"end of all sessions by the operator",
         [](Enrolled& it) {
             const Administrator by{.actor = Actor::operator_at_the_machine(), .cause = {}};
             EXPECT_TRUE(run(it.service.app().services().administration.revoke_all(by, it.person.id)));
         },
         401, "twoFactorChallengeInvalid"},
        {"inactive", sql("status = 'inactive'"), 403, "inactiveForbidden"},
        {"blocked", sql("status = 'blocked'"), 403, "inactiveForbidden"},
        {"deleted", sql("deleted_at = 1"), 401, "twoFactorChallengeInvalid"},
    };
}

TEST(CHL_4, ItDiesWithItsGround) {
    for (const EndOfGround& cause : ends_of_ground()) {
        SCOPED_TRACE(cause.name);
        Enrolled it;
        it.service.clock().advance(seconds{30});
        const std::string challenge = it.challenge();
        cause.act(it);
        const std::size_t before = it.service.live_sessions(it.person);
        for (const Answer& answer : {it.service.verify(challenge, it.service.code(it.person, 1)),
                                     it.service.verify_backup(challenge, it.person.backup_codes[0])}) {
            EXPECT_EQ(answer.status, cause.status) << answer.body;
            EXPECT_EQ(answer.code_name(), cause.answer);
        }
        EXPECT_EQ(it.service.live_sessions(it.person), before);
    }
}

TEST(CHL_5, UnknownMalformedExpiredUsedAndLockedLookAlike) {
    Enrolled it;
    const std::string expired = it.challenge();
    it.service.clock().advance(seconds{300});
    const std::string used = it.challenge();
    ASSERT_EQ(it.service.verify(used, it.service.code(it.person)).status, 200U);
    const std::string live = it.challenge();
    const auto look = [&] {
        const std::string wrong = wrong_code(it.service, it.person);
        const std::string answer = comparable(it.service.verify(std::string(48, 'x'), wrong));
        for (const std::string& token :
             {expired, used, std::string("x"), std::string(256, 'y'), std::string("\xF0\x9F\x94\x91"),
              it.person.id.text(), it.tokens.access.substr(0, 256), live.substr(0, 47), live + "x"})
            EXPECT_EQ(comparable(it.service.verify(token, wrong)), answer) << token;
        EXPECT_TRUE(answer.contains("twoFactorChallengeInvalid"));
        return answer;
    };
    const std::string before = look();
    for (int i = 0; i < 5; ++i) it.service.verify(live, wrong_code(it.service, it.person, i));
    EXPECT_EQ(look(), before) << "the lock is told to nobody without a live challenge";
    expect_two_factor_lock(it.service.verify(live, it.service.code(it.person, 1)), 240);
}

TEST(CHL_6, ANewOnePushesOutTheSameUsersOldest) {
    Enrolled it;
    Person other = it.service.make_person();
    it.service.turn_two_factor_on(other);
    const std::string others = it.service.challenge_of(other);
    const auto challenges = challenges_of(it.service, it.person, 201);
    expect_gone(it.service.verify(challenges[0], it.service.next_code(it.person)));
    EXPECT_EQ(it.service.verify(challenges[1], it.service.code(it.person)).status, 200U);
    EXPECT_EQ(it.service.verify_backup(challenges[200], it.person.backup_codes[0]).status, 200U);
    EXPECT_EQ(it.service.verify(others, it.service.code(other)).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
