// Tests accounts that their owners delete: access ends at once, and the data is erased in time.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* delete_path = "/api/user/user/delete/self";

// Returns how many rows of the table belong to this account.
std::string rows_of(const Service& service, const Person& person, const std::string& table) {
    return one(service, "SELECT count(*) FROM " + table + " WHERE user_id = '" + person.id.text() + "'");
}

void add_unlinked_identity(const Service& service, const Person& person) {
    service.sql("INSERT INTO unlinked_identities VALUES ('" + person.id.text() + "', 'google', 's-1', 0, 0)");
}

TEST(Deletion, EndsEverythingAtOnce) {
    constexpr const char* ada = "ada@example.org";
    Service& service = suite_service();
    Person person = newcomer(service, ada);
    const TokenTexts first = service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    forget(service, ada);
    const std::string token = forgotten_token(service, ada);
    add_unlinked_identity(service, person);
    const Answer deleted = service.erase(delete_path, {{"backupCode", person.backup_codes[0]}}, bearer(first.access));
    EXPECT_EQ(deleted.status, 204U) << deleted.body;
    EXPECT_TRUE(deleted.body.empty());

    EXPECT_EQ(service.get(profile_path, bearer(first.access)).status, 401U);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer(first.refresh)).status, 401U);
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).code_name(), "twoFactorChallengeInvalid");
    EXPECT_EQ(reset(service, token, new_password).code_name(), "tokenInvalid");
    const Answer login = service.log_in(person);
    EXPECT_EQ(login.code_name(), "passwordNotMatch") << "as if there had never been one";
    EXPECT_EQ(comparable(login), comparable(service.log_in("nobody@example.org", person.password)));
    for (const char* table : {"two_factors", "backup_codes", "account_tokens", "known_devices", "identities",
                              "unlinked_identities", "password_history"})
        EXPECT_EQ(rows_of(service, person, table), "0") << table;
    EXPECT_EQ(service.live_sessions(person), 0U);
    EXPECT_EQ(one(service,
                  "SELECT count(*) FROM users WHERE (password_hash IS NOT NULL OR status <> 'inactive') "
                  "AND id = '" +
                      person.id.text() + "'"),
              "0");
    const ReceivedMail mail = Mailbox(service).wait_for(ada, "accountDeleted");
    EXPECT_EQ(mail.to, ada) << "told at the address it had";
    EXPECT_EQ(one(service, "SELECT count(*) FROM activity_log WHERE action = 'userDeleteSelf' AND user_id = '" +
                               person.id.text() + "'"),
              "1");
}

TEST(Deletion, FreesTheAddressAtOnce) {
    const std::string grace = "grace@example.org";
    Service& service = suite_service();
    const Person person = newcomer(service, grace);
    const std::string former = service.tokens_of(person).access;
    ASSERT_EQ(service.erase("/api/shared/user/delete/self", {}, bearer(former)).status, 204U);
    forget(service, grace);
    EXPECT_EQ(mails(service, grace, "forgotPassword"), 0U);
    Mailbox(service).clear();
    const Person again = newcomer(service, grace);
    EXPECT_NE(again.id, person.id);
    const std::string now = service.tokens_of(again).access;
    EXPECT_EQ(service.get(profile_path, bearer(former)).status, 401U);
    EXPECT_EQ(service.get(profile_path, bearer(now)).text("data.id"), again.id.text());
    ASSERT_EQ(service.erase(delete_path, {}, bearer(now)).status, 204U) << "and a second time";
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE deleted_email = '" + grace + "'"), "2");
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE email = '" + grace + "'"), "0");
}

TEST(Deletion, IsForAccountsOfTypeUser) {
    Service& service = suite_service();
    for (const Role role : {Role::admin, Role::super_admin}) {
        const std::string token = service.tokens_of(service.make_person(role)).access;
        const Answer refused = service.erase(delete_path, {}, bearer(token));
        EXPECT_EQ(refused.status, 403U);
        EXPECT_EQ(refused.number("statusCode"), 5063);
        EXPECT_EQ(service.get(profile_path, bearer(token)).status, 200U);
    }
    EXPECT_EQ(service.erase(delete_path).status, 401U);
}

TEST(Deletion, HappensOnceHoweverOftenItIsAskedFor) {
    Service& service = suite_service();
    const Person person = newcomer(service, "kay@example.org");
    const Headers caller = bearer(service.tokens_of(person).access);
    const auto answers = all_at_once(
        service, std::vector<Call>(30, Call{.path = delete_path, .body = {}, .headers = caller, .method = "DELETE"}));
    EXPECT_EQ(count(answers, 204), 1U);
    EXPECT_EQ(count(answers, 401) + count(answers, 404), 29U);
    EXPECT_EQ(mails(service, person.email, "accountDeleted"), 1U);
}

TEST(RAC_3, NoLoginOutlivesTheDeletion) {
    Service& service = suite_service();
    for (std::size_t round = 0; round < 4; ++round) {
        const Person person = newcomer(service, "ada" + std::to_string(round) + "@example.org");
        const Headers caller = bearer(service.tokens_of(person).access);
        std::vector<Call> calls(20, {"/api/user/login/credential", credentials(person.email, person.password)});
        calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(round * 5),
                     Call{.path = delete_path, .body = {}, .headers = caller, .method = "DELETE"});
        for (const Answer& answer : all_at_once(service, calls))
            if (answer.status == 200)
                EXPECT_EQ(service.get(profile_path, bearer(answer.text("data.tokens.accessToken"))).status, 401U);
        EXPECT_EQ(service.live_sessions(person), 0U);
    }
}

TEST(Deletion, ErasesWhatTellsOfThePersonAfterThirtyDays) {
    constexpr const char* ada = "ada@example.org";
    Service service;  // its cleanup erases all accounts, and nothing in any table may tell of this person
    const Person person = newcomer(service, ada);
    const Person stays = newcomer(service, "bob@example.org");
    const TokenTexts tokens = service.tokens_of(person);
    service.tokens_of(stays);
    service.call("PUT", profile_path, R"({"name":"Ada Canary"})", bearer(tokens.access));
    ASSERT_EQ(service.erase(delete_path, {}, bearer(tokens.access)).status, 204U);
    settle_mails(service);
    add_unlinked_identity(service, person);  // as by a command at the same moment
    const std::string of_ada = " WHERE id = '" + person.id.text() + "'";
    const std::string of_hers = " WHERE user_id = '" + person.id.text() + "'";
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT deleted_email FROM users" + of_ada), ada) << "for questions that come afterwards";

    service.pass(std::chrono::days{30});
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT count(*) FROM users" + of_ada), "0");
    for (const std::string table : {"sessions", "activity_log", "mails"})
        EXPECT_EQ(one(service, "SELECT count(*) FROM " + table + of_hers), "0") << table;
    for (const std::string& table : service.tables())
        for (const auto& row : service.sql("SELECT * FROM " + table))
            for (const std::string& value : row)
                EXPECT_FALSE(value.contains("ada@") || value.contains("Canary") || value.contains(person.id.text()))
                    << table << ": " << value;
    EXPECT_EQ(service.log_in(stays).status, 200U) << "nobody else is touched";
    EXPECT_NE(one(service, "SELECT count(*) FROM activity_log WHERE ip_address IS NOT NULL"), "0");
    run(service.app().services().clean_up());
}

// Deletes an account of a service that erases at once, while no mail is sent.
struct HeldUp {
    HeldUp() {
        service.break_writes("UPDATE OF taken_by ON mails");
        person = service.make_person();
        EXPECT_EQ(service.erase(delete_path, {}, bearer(service.tokens_of(person).access)).status, 204U);
    }
    std::string row() const { return one(service, "SELECT count(*) FROM users WHERE id = '" + person.id.text() + "'"); }
    void erase() { run(service.app().services().accounts.erase_deleted()); }

    Service service{{{"ACCOUNT_ERASE_AFTER_IN_DAYS", "0"}}};
    Person person;
};

TEST(Deletion, IsToldBeforeTheAccountIsErased) {
    HeldUp t;
    settle_acts(t.service);
    t.erase();
    EXPECT_EQ(t.row(), "1") << "the notice waits";
    t.service.mend_writes();
    EXPECT_EQ(Mailbox(t.service).wait_for(t.person.email, "accountDeleted").to, t.person.email);
    settle_mails(t.service);
    t.erase();
    EXPECT_EQ(t.row(), "0");
}

TEST(Deletion, ANoticeThatWasGivenUpKeepsNoAccount) {
    HeldUp t;
    settle_acts(t.service);
    t.service.sql("UPDATE mails SET failed_at = 1 WHERE kind = 'accountDeleted'");
    t.erase();
    EXPECT_EQ(t.row(), "0");
}

TEST(Deletion, AnAccountThatHasToWaitHoldsUpNoOther) {
    HeldUp t;
    const Person later = t.service.make_person();
    ASSERT_EQ(t.service.erase(delete_path, {}, bearer(t.service.tokens_of(later).access)).status, 204U);
    settle_acts(t.service);
    t.service.sql("DELETE FROM mails WHERE user_id = '" + later.id.text() + "'");
    t.erase();
    EXPECT_EQ(t.row(), "1");
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM users WHERE id = '" + later.id.text() + "'"), "0");
}

// Its account may be erased between a failure of the database and the next round.
TEST(PWD_1, ANoticeOfALockForAnErasedAccountHoldsUpNoOther) {
    Service& service = suite_service();
    service.app().services().passwords.lock_notices().add(UserId::make(service.clock().now()), {});
    const Person person = service.make_person();
    for (int i = 0; i < 5; ++i) service.log_in(person.email, "Wrong-Harbor-42");
    EXPECT_FALSE(Mailbox(service).wait_for(person.email, "passwordLocked").text.empty());
}

}  // namespace
}  // namespace consentry::tests
