// Tests codes of the app and backup codes: which are valid, for how long, and how often.
#include <set>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "features/two_factor/secrets.hpp"
#include "tests/support/base32.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/files.hpp"

namespace consentry::tests {
namespace {

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            out.push_back(static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16)));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

TEST(TFA_1, TheAddressForTheAppParsesBackToItsParts) {
    const std::string issuer = "Sh\xC3\xB6p & Co? 100% #1/=+";
    Service service({{"AUTH_TWO_FACTOR_ISSUER", issuer}});
    const Person person = person_named(service, "a+b_c.d-e@example.org");
    const Answer setup = service.post("/api/user/2fa/setup", {}, bearer(service.tokens_of(person).access));
    const std::string secret = setup.text("data.secret");
    EXPECT_EQ(secret.size(), 32U);
    EXPECT_EQ(from_base32(secret).size(), 20U);

    const std::string url = setup.text("data.otpauthUrl");
    for (const char c : url) EXPECT_TRUE(c > ' ' && c < 0x7F) << url;
    ASSERT_TRUE(url.starts_with("otpauth://totp/")) << url;
    const auto question = url.find('?');
    ASSERT_NE(question, std::string::npos);
    EXPECT_EQ(percent_decoded(url.substr(15, question - 15)), issuer + ":" + person.email);
    std::map<std::string, std::string> parts;
    std::string_view query = std::string_view(url).substr(question + 1);
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        const auto equals = part.find('=');
        parts[std::string(part.substr(0, equals))] = percent_decoded(part.substr(equals + 1));
    }
    EXPECT_EQ(parts,
              (std::map<std::string, std::string>{
                  {"secret", secret}, {"issuer", issuer}, {"algorithm", "SHA1"}, {"digits", "6"}, {"period", "30"}}));
}

TEST(TFA_2, OneStepEitherSideAndNoFurther) {
    for (const int steps : {-2, -1, 0, 1, 2}) {
        Enrolled it;
        it.service.clock().advance(seconds{300});
        const Answer answer = it.verify(it.service.code(it.person, steps));
        if (steps == -2 || steps == 2)
            expect_wrong_factor(answer);
        else
            EXPECT_EQ(answer.status, 200U) << steps;
    }
}

TEST(TFA_2, AStepBeginsAtTheThirtiethSecondSharp) {
    Enrolled it{Environment{}};  // its clock is set back
    it.service.clock().advance(seconds{300});
    const auto now = epoch_ms(it.service.clock().now());
    const TimePoint begin = from_epoch_ms(now - now % 30'000);
    it.service.clock().set(begin);
    const std::string code = it.service.code(it.person);
    it.service.clock().set(begin + milliseconds{59'999});
    const std::string challenge = it.service.challenge_of(it.person);
    it.service.clock().set(begin + milliseconds{60'000});
    expect_wrong_factor(it.service.verify(challenge, code));
    it.service.clock().set(begin + milliseconds{59'999});
    EXPECT_EQ(it.service.verify(challenge, code).status, 200U);
}

TEST(TFA_2, OnlyTheServersClockCounts) {
    Enrolled it{Environment{}};  // the Date below fits the time of a new service
    const std::string challenge = it.service.challenge_of(it.person);
    const std::string code = it.service.code(it.person, 20);
    expect_wrong_factor(it.service.post("/api/user/login/2fa", {{"challengeToken", challenge}, {"code", code}},
                                        {{"Date", "Tue, 14 Nov 2023 22:23:30 GMT"},
                                         {"x-timestamp", std::to_string(epoch_ms(it.service.clock().now()) + 600'000)},
                                         {"x-timezone", "Asia/Jakarta"}}));
}

TEST(TFA_2, AClockSteppedBackOpensNothing) {
    Enrolled it{Environment{}};  // its clock is set back
    const std::string code = it.service.next_code(it.person);
    EXPECT_EQ(it.verify(code).status, 200U);
    it.service.clock().advance(-std::chrono::hours{1});
    for (const int steps : {-1, 0, 1, 120}) expect_wrong_factor(it.verify(it.service.code(it.person, steps)));
    it.service.clock().advance(std::chrono::hours{1});
    expect_wrong_factor(it.verify(code));
    expect_two_factor_lock(it.verify(it.service.code(it.person, 1)), 240 - 3'600 + 3'600);
}

TEST(TFA_2, AClockSteppedForwardAcceptsOnlyItsOwnSteps) {
    Enrolled it;
    const std::string now = it.service.code(it.person, 1);
    it.service.clock().advance(std::chrono::hours{1});
    expect_wrong_factor(it.verify(now));
    EXPECT_EQ(it.verify(it.service.code(it.person)).status, 200U);
}

TEST(TFA_3, ACodeIsGoodOnceAndSoIsAllBeforeIt) {
    Enrolled it{Environment{}};
    it.service.clock().advance(seconds{300});
    const std::string before = it.service.code(it.person, -1);
    const std::string code = it.service.code(it.person);
    EXPECT_EQ(it.verify(code).status, 200U);
    const Answer again = it.verify(code);
    expect_wrong_factor(again);
    expect_wrong_factor(it.verify(before));
    EXPECT_NE(again.text("message"), it.verify(wrong_code(it.service, it.person)).text("message"))
        << "tells the owner to wait for the next one";
    EXPECT_EQ(two_factor_attempt(it.service, it.person), "3") << "counted";
    it.service.restart();
    expect_wrong_factor(it.verify(code));
    EXPECT_EQ(it.verify(it.service.code(it.person, 1)).status, 200U);
}

TEST(TFA_3, TheEnablingCodeIsSpent) {
    Enrolled it;
    expect_wrong_factor(it.verify(it.service.code(it.person)));
    EXPECT_EQ(it.verify(it.service.code(it.person, 1)).status, 200U);
}

TEST(TFA_3, ACodeIsSpentForAllEndpoints) {
    Enrolled it;
    const std::string code = it.service.next_code(it.person);
    EXPECT_EQ(it.verify(code).status, 200U);
    const Headers caller = bearer(it.tokens.access);
    expect_wrong_factor(it.service.erase("/api/user/2fa", {{"code", code}}, caller));
    expect_wrong_factor(it.service.patch(
        "/api/user/change-password",
        {{"oldPassword", it.person.password}, {"newPassword", "Copper-Meadow-77"}, {"code", code}}, caller));
    const std::string next = it.service.next_code(it.person);
    EXPECT_EQ(it.service.erase("/api/user/2fa", {{"code", next}}, caller).status, 204U);
    // The last used step outlives the secret: after a new setup, a code of the same step is still refused.
    it.person.backup_codes.clear();
    it.person.secret = it.service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    expect_wrong_factor(it.service.post("/api/user/2fa/confirm", {{"code", it.service.code(it.person)}}, caller));
}

TEST(TFA_3, OneCodeAtOnceOnManyChallengesIsOneLogin) {
    Enrolled it;
    const auto challenges = challenges_of(it.service, it.person, 200);
    const std::string code = it.service.next_code(it.person);
    std::vector<Call> calls;
    for (const std::string& challenge : challenges)
        calls.push_back({"/api/user/login/2fa", {{"challengeToken", challenge}, {"code", code}}});
    const auto answers = all_at_once(it.service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 401, "twoFactorInvalid"), 5U) << "the others are failures, and lock";
    EXPECT_EQ(count(answers, 429, "twoFactorAttemptTemporaryLock"), 194U);
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM sessions WHERE challenge_digest IS NOT NULL AND user_id = '" +
                             it.person.id.text() + "'")[0][0],
              "1");
}

TEST(TFA_10, EightDifferentCodesShownOnceAndKeptAsDigests) {
    Enrolled it;
    const std::set<std::string> codes(it.person.backup_codes.begin(), it.person.backup_codes.end());
    ASSERT_EQ(codes.size(), 8U);
    for (const std::string& code : codes) {
        EXPECT_EQ(code.size(), 10U);
        EXPECT_EQ(code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), std::string::npos);
    }
    const auto shows_any = [&](const std::string& text) {
        return std::ranges::any_of(codes, [&](const std::string& code) { return text.contains(code); });
    };
    EXPECT_FALSE(shows_any(it.service.log_in(it.person).body));
    for (const auto& operation : it.service.app().router().operations()) {
        if (operation->method != http::Method::get) continue;
        for (const std::string& path : it.service.app().router().full_paths(*operation))
            EXPECT_FALSE(shows_any(it.service.get(path, bearer(it.tokens.access)).body)) << path;
    }
    for (const char* file : {"consentry.db", "consentry.db-wal"}) {
        const std::string bytes = text_in(it.service.folder() / "data" / file);
        EXPECT_FALSE(shows_any(bytes)) << file;
        EXPECT_FALSE(bytes.contains(it.person.secret)) << file;
    }
}

TEST(TFA_10, RegeneratingReplacesAllInOneStep) {
    Enrolled it;
    const Answer made = it.service.post("/api/user/2fa/backup/regenerate", {}, bearer(it.tokens.access));
    ASSERT_EQ(made.status, 201U) << made.body;
    EXPECT_EQ(backup_codes_left(it.service, it.person), "8");
    for (int i = 0; i < 4; ++i)
        expect_wrong_factor(it.verify_backup(it.person.backup_codes[static_cast<std::size_t>(i)]));
    const std::string fresh(made.json.at("data").at("backupCodes").at(0).as_string());
    EXPECT_EQ(it.verify_backup(fresh).status, 200U);
}

TEST(TFA_10, CodesAreDrawnWithoutBias) {
    // 35 degrees of freedom: a fair draw exceeds 100 about four times in a hundred million positions.
    std::array<std::array<double, 36>, backup_code_length> seen{};
    constexpr int sets = 12'500;
    for (int i = 0; i < sets; ++i)
        for (const std::string& code : TwoFactorSecrets::new_backup_codes())
            for (std::size_t at = 0; at < code.size(); ++at)
                ++seen[at][static_cast<std::size_t>(code[at] <= '9' ? code[at] - '0' : code[at] - 'A' + 10)];
    const double expected = sets * 8 / 36.0;
    for (const auto& position : seen) {
        double chi_square = 0;
        for (const double observed : position) chi_square += (observed - expected) * (observed - expected) / expected;
        EXPECT_LT(chi_square, 100.0);
    }
}

TEST(TFA_11, ABackupCodeIsSpentOnceByWhoeverComesFirst) {
    Enrolled it{Environment{}};
    const std::string& code = it.person.backup_codes[0];
    std::vector<Call> calls;
    for (const std::string& challenge : challenges_of(it.service, it.person, 199))
        calls.push_back({"/api/user/login/2fa", {{"challengeToken", challenge}, {"backupCode", code}}});
    calls.push_back({"/api/user/change-password",
                     {{"oldPassword", "Wrong-Harbor-42"}, {"newPassword", "Copper-Meadow-77"}, {"backupCode", code}},
                     bearer(it.tokens.access),
                     "PATCH"});
    const auto answers = all_at_once(it.service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 401, "twoFactorInvalid") + count(answers, 429, "twoFactorAttemptTemporaryLock"), 198U);
    EXPECT_EQ(count(answers, 400, "passwordNotMatch"), 1U);
    EXPECT_EQ(backup_codes_left(it.service, it.person), "7");
    it.service.clock().advance(seconds{240});
    it.service.restart();
    expect_wrong_factor(it.verify_backup(code));
}

TEST(TFA_11, OneBackupCodeAtLoginAndAtDisableIsSpentOnce) {
    for (int round = 0; round < 5; ++round) {
        Enrolled it;
        const std::string& code = it.person.backup_codes[0];
        const auto answers = all_at_once(
            it.service,
            {{"/api/user/login/2fa", {{"challengeToken", it.service.challenge_of(it.person)}, {"backupCode", code}}},
             {"/api/user/2fa", {{"backupCode", code}}, bearer(it.tokens.access), "DELETE"}});
        EXPECT_EQ(count(answers, 200) + count(answers, 204), 1U);
    }
}

TEST(TFA_11, TwoDifferentCodesAtOnceAreBothGone) {
    Enrolled it;
    for (std::size_t i = 0; i < 8; i += 2) {
        const auto challenges = challenges_of(it.service, it.person, 2);
        std::vector<Call> calls;
        for (std::size_t k = 0; k < 2; ++k)
            calls.push_back({"/api/user/login/2fa",
                             {{"challengeToken", challenges[k]}, {"backupCode", it.person.backup_codes[i + k]}}});
        EXPECT_EQ(count(all_at_once(it.service, calls), 200), 2U);
        EXPECT_EQ(backup_codes_left(it.service, it.person), std::to_string(6 - i));
    }
}

}  // namespace
}  // namespace consentry::tests
