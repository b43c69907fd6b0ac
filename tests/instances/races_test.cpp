// Races between instances: across all of them, every failure counts, and what may happen once happens once.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/instances/fleet.hpp"

namespace consentry::tests {
namespace {

// Creates the maximum number of challenges of an account, spread over the instances.
std::vector<std::string> challenges_of(Fleet& fleet, const Person& person) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < 10; ++i) out.push_back(challenge_of(fleet.client(i), person));
    return out;
}

TEST(TFA_6, WrongCodesAtAllInstancesAtOnceAreEvaluatedFiveTimesInAll) {
    SharedFleet fleet(everywhere);
    for (int round = 0; round < 3; ++round) {
        const Person ada = fleet->make_protected_person();
        const auto challenges = challenges_of(*fleet, ada);
        const std::string wrong = wrong_code(ada);
        const auto answers = at_once(
            200, [&](std::size_t i) { return verify(fleet->client(i), challenges[i % challenges.size()], wrong); });
        EXPECT_EQ(count(answers, 401, "twoFactorInvalid"), 5U) << testing::PrintToString(statuses(answers));
        EXPECT_EQ(count(answers, 429, "twoFactorAttemptTemporaryLock"), 195U);
        EXPECT_EQ(fleet.number("SELECT attempt FROM two_factors WHERE user_id = '" + ada.id.text() + "'"), 5);
        for (std::size_t i = 0; i < everywhere; ++i)
            EXPECT_EQ(verify_backup(fleet->client(i), challenges[i], ada.backup_codes[i]).status, 429U)
                << "locked at instance " << i << " as well, for the right code too";
    }
}

TEST(TFA_5, AFailureCountsWhereverItHappens) {
    SharedFleet fleet(everywhere);
    TokenTexts tokens;
    const Person ada = fleet->make_protected_person(&tokens);
    const std::string challenge = challenge_of(fleet->client(0), ada);
    const std::string wrong = wrong_code(ada);
    EXPECT_EQ(verify(fleet->client(0), challenge, wrong).status, 401U);
    EXPECT_EQ(disable_two_factor(fleet->client(1), tokens.access, wrong).status, 401U);
    EXPECT_EQ(verify(fleet->client(2), challenge, wrong).status, 401U);
    EXPECT_EQ(disable_two_factor(fleet->client(3), tokens.access, wrong).status, 401U);
    EXPECT_EQ(verify(fleet->client(1), challenge, wrong).status, 401U);
    for (std::size_t i = 0; i < everywhere; ++i) {
        EXPECT_EQ(verify(fleet->client(i), challenge, code_of(ada, 1)).status, 429U) << i;
        EXPECT_EQ(disable_two_factor(fleet->client(i), tokens.access, wrong).status, 429U) << i;
    }
}

TEST(TFA_3, ACodeAtAllInstancesAtOnceIsGoodOnce) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_protected_person();
    const auto challenges = challenges_of(*fleet, ada);
    const std::string code = code_of(ada, 1);
    const auto answers =
        at_once(100, [&](std::size_t i) { return verify(fleet->client(i), challenges[i % challenges.size()], code); });
    EXPECT_EQ(count(answers, 200), 1U) << testing::PrintToString(statuses(answers));
    EXPECT_EQ(count(answers, 401) + count(answers, 429), 99U);
    EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE challenge_digest IS NOT NULL"), 1);
}

TEST(TFA_11, ABackupCodeAtAllInstancesAtOnceIsSpentOnce) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_protected_person();
    const auto challenges = challenges_of(*fleet, ada);
    const auto answers = at_once(200, [&](std::size_t i) {
        return verify_backup(fleet->client(i), challenges[i % challenges.size()], ada.backup_codes[0]);
    });
    EXPECT_EQ(count(answers, 200), 1U) << testing::PrintToString(statuses(answers));
    EXPECT_EQ(count(answers, 401) + count(answers, 429), 199U);
    EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE challenge_digest IS NOT NULL"), 1);
    EXPECT_EQ(fleet.number("SELECT count(*) FROM backup_codes"), 7);
}

TEST(TFA_11, TwoBackupCodesAtTwoInstancesAtOnceAreBothSpent) {
    SharedFleet fleet(2);
    const Person ada = fleet->make_protected_person();
    for (std::size_t round = 0; round < 4; ++round) {
        std::vector<std::string> challenges;
        for (std::size_t i = 0; i < 2; ++i) challenges.push_back(challenge_of(fleet->client(i), ada));
        const auto answers = at_once(2, [&](std::size_t i) {
            return verify_backup(fleet->client(i), challenges[i], ada.backup_codes[2 * round + i]);
        });
        EXPECT_EQ(count(answers, 200), 2U) << testing::PrintToString(statuses(answers));
        EXPECT_EQ(fleet.number("SELECT count(*) FROM backup_codes"), 6 - 2 * static_cast<int>(round));
    }
}

TEST(CHL_2, AChallengeAnsweredRightlyAtAllInstancesAtOnceMakesOneSession) {
    SharedFleet fleet(everywhere);
    for (int round = 0; round < 2; ++round) {
        const Person ada = fleet->make_protected_person();
        const std::string challenge = challenge_of(fleet->client(0), ada);
        const std::string code = code_of(ada, 1);
        const auto answers = at_once(200, [&](std::size_t i) { return verify(fleet->client(i), challenge, code); });
        EXPECT_EQ(count(answers, 200), 1U) << testing::PrintToString(statuses(answers));
        EXPECT_EQ(count(answers, 401, "twoFactorChallengeInvalid"), 199U) << "late, not wrong";
        EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE challenge_digest IS NOT NULL AND user_id = '" +
                               ada.id.text() + "'"),
                  1);
        EXPECT_EQ(fleet.number("SELECT attempt FROM two_factors WHERE user_id = '" + ada.id.text() + "'"), 0);
    }
}

TEST(CHL_2, AChallengeAnsweredWithDifferentCodesAtOnceMakesOneSession) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_protected_person();
    const std::string challenge = challenge_of(fleet->client(0), ada);
    const auto answers = at_once(64, [&](std::size_t i) {
        return verify_backup(fleet->client(i), challenge, ada.backup_codes[i % ada.backup_codes.size()]);
    });
    EXPECT_EQ(count(answers, 200), 1U) << testing::PrintToString(statuses(answers));
    EXPECT_EQ(count(answers, 401, "twoFactorChallengeInvalid"), 63U);
    EXPECT_EQ(fleet.number("SELECT count(*) FROM backup_codes"), 7) << "of the losers nothing is spent";
}

TEST(CHL_2, AChallengeOfOneInstanceIsAnsweredAtAnother) {
    SharedFleet fleet(2);
    const Person ada = fleet->make_protected_person();
    const TokenTexts tokens = tokens_in(verify(fleet->client(1), challenge_of(fleet->client(0), ada), code_of(ada, 1)));
    EXPECT_EQ(knock(fleet->client(0), tokens.access), 200U);
    EXPECT_EQ(knock(fleet->client(1), tokens.access), 200U);
}

TEST(PWD_6, WrongPasswordsAtAllInstancesAtOnceAreEvaluatedFiveTimesInAll) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_person();
    Person guess = ada;
    guess.password = "Copper-Meadow-77";
    auto answers = at_once(80, [&](std::size_t i) { return log_in(fleet->client(i), guess); });
    // Guesses that had to wait too long were refused without checking the password. If a busy machine evaluated fewer
    // than five, further guesses make up for them.
    for (std::size_t i = 0; i < 100 && count(answers, 400) < 5; ++i) answers.push_back(log_in(fleet->client(i), guess));
    const auto put_off = static_cast<std::size_t>(std::ranges::count_if(answers, is_put_off));
    EXPECT_EQ(count(answers, 400, "passwordNotMatch"), 5U) << testing::PrintToString(statuses(answers));
    EXPECT_EQ(count(answers, 403, "passwordAttemptMax") + put_off, answers.size() - 5)
        << testing::PrintToString(statuses(answers));
    EXPECT_EQ(fleet.number("SELECT password_attempt FROM users"), 5);
    for (std::size_t i = 0; i < everywhere; ++i)
        EXPECT_EQ(log_in(fleet->client(i), ada).code_name(), "passwordAttemptMax") << i;
}

TEST(PWD_7, RightLoginsAtAllInstancesAtOnceMeetNoLock) {
    SharedFleet fleet(3, {{"SESSION_MAX_PER_USER", "1000"}});
    const Person ada = fleet->make_person();
    for (const std::size_t logins : {6U, 24U, 60U}) {
        // These are more concurrent attempts than the allowed failures, so logins that wait too long are told to retry.
        const auto answers = at_once(logins, [&](std::size_t i) { return log_in(fleet->client(i), ada); });
        EXPECT_GE(count(answers, 200), 1U) << testing::PrintToString(statuses(answers));
        const auto put_off = static_cast<std::size_t>(std::ranges::count_if(answers, is_put_off));
        EXPECT_EQ(count(answers, 200) + put_off, logins) << testing::PrintToString(statuses(answers));
        for (const Answer& answer : answers)
            if (is_put_off(answer)) EXPECT_EQ(answer.headers.at("retry-after"), "1");
        EXPECT_EQ(fleet.number("SELECT password_attempt FROM users"), 0);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(log_in(fleet->client(i), ada).status, 200U) << i;
    }
}

}  // namespace
}  // namespace consentry::tests
