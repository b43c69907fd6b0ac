// Tests setting a forgotten password: what else the user must prove, what it ends, and what stays.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* status_path = "/api/shared/user/2fa/status";

std::string recover(const Service& service, const Person& person) {
    EXPECT_EQ(forget(service, person.email).status, 200U);
    return forgotten_token(service, person.email);
}

// Returns how many rows of the table belong to this account.
std::string rows_of(const Service& service, const Person& person, const std::string& table) {
    return one(service, "SELECT count(*) FROM " + table + " WHERE user_id = '" + person.id.text() + "'");
}

TEST(REC_3, TheSecondFactorIsAskedForAndAWrongCodeLeavesTheLinkGood) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string token = recover(service, person);
    for (int i = 0; i < 3; ++i) {
        const Answer bare = reset(service, token, new_password);
        EXPECT_EQ(bare.status, 400U);
        EXPECT_EQ(bare.number("statusCode"), 5135);
    }
    EXPECT_EQ(two_factor_attempt(service, person), "0") << "nothing was guessed";
    const Answer guess = reset(service, token, person.password);
    EXPECT_EQ(guess.number("statusCode"), 5135) << "the link alone must not tell a right password from a wrong one";
    const Answer wrong = reset(service, token, new_password, {{"code", wrong_code(service, person)}});
    EXPECT_EQ(wrong.status, 401U);
    EXPECT_EQ(wrong.code_name(), "twoFactorInvalid");
    EXPECT_EQ(two_factor_attempt(service, person), "1");
    EXPECT_EQ(reset(service, token, person.password, {{"backupCode", wrong_backup_code}}).status, 401U);
    EXPECT_EQ(two_factor_attempt(service, person), "2");
    EXPECT_EQ(service.log_in(person).status, 200U) << "unchanged";

    const Answer done = reset(service, token, new_password, {{"code", service.next_code(person)}, {"method", "code"}});
    EXPECT_EQ(done.status, 200U) << done.body;
    EXPECT_FALSE(done.has("data")) << "nobody is logged in by it";
    EXPECT_EQ(service.log_in(person).status, 400U);
    const Answer login = service.log_in(person.email, new_password);
    EXPECT_TRUE(login.boolean("data.isTwoFactorRequired")) << "the second factor stays on";
    Mailbox(service).wait_for(person.email, "passwordReset");
    EXPECT_EQ(reset(service, token, "Amber-Canyon-31", {{"code", service.next_code(person)}}).code_name(),
              "tokenInvalid");
}

TEST(REC_3, FiveWrongCodesLockAndTheLinkOutlivesTheLock) {
    Service service({{"FORGOT_PASSWORD_EXPIRED_IN_MINUTES", "60"}});
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    const std::string token = recover(service, person);
    service.clock().advance(seconds{30});
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(reset(service, token, new_password, {{"code", wrong_code(service, person, i)}}).status, 401U);
    expect_two_factor_lock(reset(service, token, new_password, {{"code", service.code(person)}}), 240);
    expect_two_factor_lock(reset(service, token, new_password, {{"backupCode", person.backup_codes[0]}}), 240);
    EXPECT_EQ(service.get(status_path, bearer(tokens.access)).number("data.backupCodesRemaining"), 8);
    service.clock().advance(seconds{240});
    EXPECT_EQ(reset(service, token, new_password, {{"code", service.code(person)}}).status, 200U);
}

TEST(REC_3, AHundredGuessesAtOnceAreFive) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string token = recover(service, person);
    std::vector<Call> calls;
    for (int i = 0; i < 100; ++i)
        calls.push_back(
            {.path = reset_path,
             .body = {{"token", token}, {"newPassword", new_password}, {"code", wrong_code(service, person, i)}},
             .method = "PUT"});
    auto answers = all_at_once(service, calls);
    // On a busy machine the service may turn most guesses away, so that it evaluates fewer than five.
    const auto evaluated = [&] { return count(answers, 401, "twoFactorInvalid"); };
    for (int i = 100; evaluated() < 5 && i < 150; ++i)
        answers.push_back(reset(service, token, new_password, {{"code", wrong_code(service, person, i)}}));
    EXPECT_EQ(evaluated(), 5U);
    EXPECT_EQ(count(answers, 429) + count(answers, 503), answers.size() - 5);
}

TEST(REC_3, ABackupCodeIsSpentWithTheLinkAndNotBefore) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string token = recover(service, person);
    const json::object proof{{"backupCode", person.backup_codes[0]}};
    EXPECT_EQ(reset(service, std::string(100, 'A'), new_password, proof).code_name(), "tokenInvalid");
    EXPECT_EQ(reset(service, token, "Password1!", proof).status, 422U);
    const Answer used = reset(service, token, person.password, proof);
    EXPECT_EQ(used.status, 400U);
    EXPECT_EQ(used.number("statusCode"), 5161);
    EXPECT_EQ(used.number("data.period"), 90);
    EXPECT_EQ(rows_of(service, person, "backup_codes"), "8") << "a refusal spends nothing";
    EXPECT_EQ(reset(service, token, new_password, proof).status, 200U);
    EXPECT_EQ(rows_of(service, person, "backup_codes"), "7");
    Mailbox(service).wait_for(person.email, "backupCodeUsedForChange");
}

TEST(PWD_5, AResetRefusesAFormerPasswordAfterTheSecondFactorOnly) {
    Service& service = suite_service();
    Person person = service.make_person();
    ASSERT_EQ(service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", new_password}},
                         bearer(service.tokens_of(person).access))
                  .status,
              200U);
    const std::string former = std::exchange(person.password, new_password);
    service.turn_two_factor_on(person);
    const std::string token = recover(service, person);
    EXPECT_EQ(reset(service, token, former).number("statusCode"), 5135);
    const Answer guess = reset(service, token, former, {{"code", wrong_code(service, person)}});
    EXPECT_EQ(guess.status, 401U) << "the link alone must not tell which passwords the account had";
    EXPECT_EQ(guess.code_name(), "twoFactorInvalid");
    const std::string code = service.next_code(person);
    const Answer refused = reset(service, token, former, {{"code", code}});
    EXPECT_EQ(refused.status, 400U);
    EXPECT_EQ(refused.code_name(), "passwordMustNew");
    EXPECT_EQ(reset(service, token, "Amber-Canyon-31", {{"code", code}}).status, 200U)
        << "neither the link nor the code is spent";
}

TEST(REC_3, OneCodeSetsOnePasswordHoweverManyLinksAreTried) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string token = recover(service, person);
    const std::string code = service.next_code(person);
    const auto answers = all_at_once(
        service, std::vector<Call>(50, Call{.path = reset_path,
                                            .body = {{"token", token}, {"newPassword", new_password}, {"code", code}},
                                            .method = "PUT"}));
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(
        count(answers, 200) + count(answers, 400) + count(answers, 401) + count(answers, 429) + count(answers, 503),
        50U);
    EXPECT_EQ(service.log_in(person.email, new_password).status, 200U);
}

TEST(REC_3, WhereTheFactorMustBeSetUpAnewTheLoginDemandsIt) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    auto user = run(service.app().services().users.find(person.id)).value();
    ASSERT_TRUE(run(service.app().services().two_factor.reset(Actor::operator_at_the_machine(), user,
                                                              TwoFactor::After::set_up_required, {})));
    EXPECT_EQ(reset(service, recover(service, person), new_password).status, 200U);
    const Answer login = service.log_in(person.email, new_password);
    EXPECT_TRUE(login.boolean("data.isRequiredSetup")) << login.body;
}

TEST(REC_3, AFactorThatIsSetUpDuringAResetIsAskedForStill) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    reset_two_factor(service, person);
    const std::string token = recover(service, person);
    // The owner completes the set-up after the reset has looked at the factor.
    service.sql(
        "CREATE TRIGGER set_up AFTER DELETE ON account_tokens BEGIN "
        "UPDATE two_factors SET enabled = TRUE, required_setup = FALSE WHERE user_id = OLD.user_id; END");
    EXPECT_EQ(reset(service, token, new_password).number("statusCode"), 5135);
    service.sql("DROP TRIGGER set_up");
    EXPECT_EQ(service.log_in(person).status, 200U) << "the old password stays";
    EXPECT_EQ(reset(service, token, new_password).status, 200U) << "and the link stays good";
}

// Another login of the owner completes a forced set-up while this one looks at the factor.
TEST(TFA_14, AForcedSetUpThatEndsDuringALoginLeavesAnOrdinaryChallenge) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    reset_two_factor(service, person);
    Services& real = service.app().services();
    bool is_set_up = false;
    FaultyDatabase interrupted(real.database, [&](std::string_view call) {
        if (call == "commit" && !std::exchange(is_set_up, true))
            service.sql("UPDATE two_factors SET required_setup = FALSE");
    });
    Login login(interrupted, real.cache, real.clock, real.users, real.sessions, real.two_factor, real.passwords,
                real.social_accounts, real.social_guard, real.audit, {std::string(32, 'k')});
    const auto answer = run(login.with_credential(person.email, person.password, {}, {}));
    ASSERT_TRUE(answer) << answer.error().kind().name;
    EXPECT_FALSE(answer->challenge.empty());
    EXPECT_FALSE(answer->setup);
    EXPECT_EQ(
        one(service, "SELECT password_attempt + password_pending FROM users WHERE id = '" + person.id.text() + "'"),
        "0");
}

TEST(SES_5, AResetEndsSessionsRefreshesChallengesAndTokens) {
    Service service;
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    const std::string token = recover(service, person);
    ASSERT_EQ(service.get(status_path, bearer(tokens.access)).status, 200U);
    ASSERT_EQ(reset(service, token, new_password, {{"backupCode", person.backup_codes[0]}}).status, 200U);
    EXPECT_EQ(service.get(status_path, bearer(tokens.access)).status, 401U);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 401U);
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).code_name(), "twoFactorChallengeInvalid");
    EXPECT_EQ(one(service, "SELECT count(*) FROM account_tokens"), "0");
}

TEST(RAC_3, NoLoginOfTheForgottenPasswordOutlivesItsReset) {
    Service& service = suite_service();
    for (std::size_t round = 0; round < 4; ++round) {
        const Person person = service.make_person();
        const std::string token = recover(service, person);
        std::vector<Call> calls(24, {"/api/user/login/credential", credentials(person.email, person.password)});
        calls.insert(
            calls.begin() + static_cast<std::ptrdiff_t>(round * 3),
            Call{.path = reset_path, .body = {{"token", token}, {"newPassword", new_password}}, .method = "PUT"});
        const auto answers = all_at_once(service, calls);
        ASSERT_EQ(answers[round * 3].status, 200U) << answers[round * 3].body;
        for (const Answer& answer : answers)
            if (answer.has("data.tokens"))
                EXPECT_EQ(service.get(status_path, bearer(answer.text("data.tokens.accessToken"))).status, 401U);
        EXPECT_EQ(one(service, "SELECT count(*) FROM sessions WHERE revoked_at IS NULL AND user_id = '" +
                                   person.id.text() + "'"),
                  "0");
        service.clock().advance(std::chrono::hours{1});
        EXPECT_EQ(service.log_in(person.email, new_password).status, 200U);
    }
}

TEST(Recovery, LiftsTheLockOfTheLoginAndVerifiesTheAddress) {
    Service& service = suite_service();
    ASSERT_EQ(sign_up(service, "ada@example.org").status, 201U);
    for (int i = 0; i < 5; ++i) service.log_in("ada@example.org", "Wrong-Harbor-42");
    EXPECT_EQ(service.log_in("ada@example.org", right_password).code_name(), "passwordAttemptMax");
    ASSERT_EQ(forget(service, "ada@example.org").status, 200U);
    const std::string verification = Mailbox(service).wait_for("ada@example.org", "verifyEmail").token();
    ASSERT_EQ(reset(service, forgotten_token(service, "ada@example.org"), new_password).status, 200U);
    EXPECT_EQ(service.log_in("ada@example.org", new_password).status, 200U)
        << "whoever reads the mails of the address need not follow a second link";
    EXPECT_EQ(verify_email(service, verification).code_name(), "tokenInvalid");
}

TEST(Recovery, GivesAnAccountWithoutPasswordOne) {
    Service& service = suite_service();
    const Person person = service.make_person();
    service.sql("UPDATE users SET password_hash = NULL WHERE id = '" + person.id.text() + "'");
    service.sql("DELETE FROM password_history WHERE user_id = '" + person.id.text() + "'");
    ASSERT_EQ(reset(service, recover(service, person), new_password).status, 200U);
    EXPECT_EQ(service.log_in(person.email, new_password).status, 200U);
}

// The address had never been verified, so everything in the account may come from a stranger who typed it.
TEST(SOC_3, AResetThatProvesTheAddressLeavesTheFormerHolderNothing) {
    Service& service = suite_service();
    Person holder = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(holder);
    const std::string id = "'" + holder.id.text() + "'";
    service.sql(
        "INSERT INTO identities (provider, subject, user_id, created_at, security_version) VALUES "
        "('google', 'former', " +
        id + ", 0, 2), ('apple', 'former', " + id + ", 0, 2)");
    service.sql("INSERT INTO unlinked_identities VALUES (" + id + ", 'google', 'earlier', 0, 0)");
    service.sql("UPDATE users SET is_verified = FALSE WHERE id = " + id);
    const std::string link = recover(service, holder);
    ASSERT_EQ(reset(service, link, new_password).status, 200U) << "nor is the stranger's second factor asked for";
    for (const char* table : {"identities", "unlinked_identities", "two_factors", "backup_codes"})
        EXPECT_EQ(rows_of(service, holder, table), "0") << table;
    EXPECT_EQ(service.get(status_path, bearer(tokens.access)).status, 401U);
    EXPECT_TRUE(service.log_in(holder.email, new_password).has("data.tokens"));
}

TEST(SOC_3, AnAcceptanceInTheMiddleOfAResetStopsItAndLeavesTheLinkGood) {
    Service service;
    const Person holder = service.make_person();
    publish(service, "privacy", 1);
    ASSERT_EQ(accept(service, service.tokens_of(holder).access, "privacy").status, 200U);
    service.sql("UPDATE users SET is_verified = FALSE WHERE id = '" + holder.id.text() + "'");
    const std::string link = recover(service, holder);
    // The former holder accepts another policy after the reset has looked at the acceptances.
    service.sql(
        "CREATE TRIGGER late AFTER UPDATE OF password_hash ON users BEGIN INSERT INTO term_policy_acceptances "
        "(id, user_id, type, sequence, action, term_policy_id, version, language, content_hashes, accepted_at, "
        "ip_address, user_agent, session_id) SELECT lower(hex(randomblob(4))) || substr(id, 9), user_id, 'cookies', "
        "sequence, action, term_policy_id, version, language, content_hashes, accepted_at, ip_address, user_agent, "
        "session_id FROM term_policy_acceptances WHERE user_id = NEW.id; END");
    EXPECT_EQ(reset(service, link, new_password).status, 503U);
    EXPECT_EQ(history(service, holder), "privacy 1 accepted") << "nothing is half done";
    service.sql("DROP TRIGGER late");
    EXPECT_EQ(reset(service, link, new_password).status, 200U);
    EXPECT_EQ(history(service, holder), "privacy 1 accepted, privacy 1 withdrawn");
    EXPECT_EQ(one(service, "SELECT ip_address FROM term_policy_acceptances WHERE action = 'withdrawn'"), "127.0.0.1")
        << "the owner's";
}

TEST(SOC_3, AResetOfAProvenAccountKeepsItsIdentitiesInUse) {
    Service& service = suite_service();
    const Person person = service.make_person();
    service.sql("INSERT INTO identities (provider, subject, user_id, created_at) VALUES ('google', 'own', '" +
                person.id.text() + "', 0)");
    ASSERT_EQ(reset(service, recover(service, person), new_password).status, 200U);
    EXPECT_EQ(one(service,
                  "SELECT count(*) FROM identities i JOIN users u ON u.id = i.user_id "
                  "WHERE i.security_version = u.security_version AND u.security_version = 2 AND u.id = '" +
                      person.id.text() + "'"),
              "1");
}

TEST(SOC_3, ALinkThatProvesTheAddressLeavesNoIdentityOfAStranger) {
    Service& service = suite_service();
    ASSERT_EQ(sign_up(service, "ada@example.org").status, 201U);
    service.sql(
        "INSERT INTO identities (provider, subject, user_id, created_at) "
        "SELECT 'google', 'stranger', id, 0 FROM users WHERE email = 'ada@example.org'");
    service.sql(
        "INSERT INTO unlinked_identities SELECT id, 'google', 'unlinked', 0, 0 FROM users "
        "WHERE email = 'ada@example.org'");
    ASSERT_EQ(verify_email(service, Mailbox(service).wait_for("ada@example.org", "verifyEmail").token()).status, 200U);
    EXPECT_EQ(one(service, "SELECT count(*) FROM identities WHERE subject = 'stranger'"), "0");
    EXPECT_EQ(one(service, "SELECT subject FROM unlinked_identities"), "unlinked") << "the operator's word holds";
    EXPECT_EQ(service.log_in("ada@example.org", right_password).status, 200U);
}

class TemporaryPassword : public ::testing::Test {
protected:
    TemporaryPassword() {
        const auto user = run(service.app().services().users.find(person.id)).value();
        EXPECT_TRUE(run(service.app().services().passwords.give_temporary(Actor::operator_at_the_machine(), user, {})));
        mailed = Mailbox(service).wait_for(person.email, "temporaryPassword").secret();
    }
    Service& service = suite_service();
    Person person = service.make_person();
    TokenTexts before = service.tokens_of(person);
    std::string mailed;
};

TEST_F(TemporaryPassword, OpensTheChangeAndTheWayOutAndNothingElse) {
    EXPECT_EQ(mailed.size(), 16U);
    EXPECT_EQ(service.get(status_path, bearer(before.access)).status, 401U) << "sessions have ended";
    EXPECT_EQ(service.log_in(person).status, 400U) << "the former password has ended";
    const Answer login = service.log_in(person.email, mailed);
    ASSERT_EQ(login.status, 200U) << login.body;
    const Headers caller = bearer(login.text("data.tokens.accessToken"));
    for (const char* path :
         {status_path, "/api/shared/user/profile", "/api/shared/user/session/list", "/api/shared/user/export"}) {
        const Answer refused = service.get(path, caller);
        EXPECT_EQ(refused.status, 403U) << path;
        EXPECT_EQ(refused.number("statusCode"), 5162) << path;
    }
    EXPECT_EQ(service.erase("/api/user/user/delete/self", {}, caller).status, 403U);
    EXPECT_EQ(service.post("/api/shared/user/logout", {}, caller).status, 200U);

    const Headers again = bearer(service.log_in(person.email, mailed).text("data.tokens.accessToken"));
    const Answer changed = service.patch("/api/shared/user/change-password",
                                         {{"oldPassword", mailed}, {"newPassword", new_password}}, again);
    ASSERT_EQ(changed.status, 200U) << changed.body;
    const std::string token = service.log_in(person.email, new_password).text("data.tokens.accessToken");
    EXPECT_EQ(service.get("/api/shared/user/profile", bearer(token)).status, 200U);
}

TEST_F(TemporaryPassword, IsNoLongerAcceptedOnceTheClockIsSetBack) {
    service.clock().step(-std::chrono::hours{1});
    EXPECT_EQ(service.log_in(person.email, mailed).code_name(), "passwordExpired");
    service.clock().step(std::chrono::hours{1});
    EXPECT_EQ(service.log_in(person.email, mailed).status, 200U);
}

TEST_F(TemporaryPassword, EndsAfterThreeDays) {
    service.pass(std::chrono::days{3} - seconds{1});
    EXPECT_EQ(service.log_in(person.email, mailed).status, 200U);
    service.pass(seconds{1});
    const Answer late = service.log_in(person.email, mailed);
    EXPECT_EQ(late.status, 403U);
    EXPECT_EQ(late.code_name(), "passwordExpired");
    ASSERT_EQ(reset(service, recover(service, person), new_password).status, 200U);
    const std::string token = service.log_in(person.email, new_password).text("data.tokens.accessToken");
    EXPECT_EQ(service.get("/api/shared/user/profile", bearer(token)).status, 200U) << "an ordinary one from now on";
}

}  // namespace
}  // namespace consentry::tests
