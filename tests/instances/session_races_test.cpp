// Sessions that several instances check, refresh and end at the same time.
#include <atomic>
#include <future>
#include <set>
#include <thread>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "tests/instances/fleet.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/mailbox.hpp"

namespace consentry::tests {
namespace {

// Calls while another transaction has run `before`. Once the call waits for it, the transaction runs `after` and
// commits.
template <class Call>
auto beside(const SharedFleet& fleet, const std::vector<std::string>& before, const std::vector<std::string>& after,
            Call call) {
    const PostgresConnection other(fleet.schema().url());
    const std::string pid = other.run("SELECT pg_backend_pid()").at(0).at(0);
    other.run("BEGIN");
    for (const std::string& statement : before) other.run(statement);
    auto called = std::async(std::launch::async, std::move(call));
    EXPECT_TRUE(eventually([&] {
        return fleet.number("SELECT count(*) FROM pg_stat_activity WHERE " + pid + " = ANY (pg_blocking_pids(pid))") ==
               1;
    }));
    for (const std::string& statement : after) other.run(statement);
    other.run("COMMIT");
    return called.get();
}

// Calls while a transaction that raises the account's security version and keeps its only session, as turning
// two-factor on does, has locked both rows. Commits it once the call waits for it. A statement that waited on READ
// COMMITTED sees the new row of the session, but reads the account from before.
template <class Call>
auto beside_a_rise(const SharedFleet& fleet, Call call) {
    return beside(fleet,
                  {"UPDATE users SET security_version = security_version + 1 WHERE id IN (SELECT user_id FROM "
                   "sessions)",
                   "UPDATE sessions SET security_version = security_version + 1"},
                  {}, std::move(call));
}

// Calls while the epoch rises in the middle of the call's transaction: once it has written accounts `changes` times.
template <class Call>
auto while_the_epoch_rises(const SharedFleet& fleet, int changes, Call call) {
    fleet.sql(
        "CREATE SEQUENCE changes; "
        "CREATE FUNCTION wait_for_the_raise() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF nextval('changes') = " +
        std::to_string(changes) +
        " THEN PERFORM pg_advisory_xact_lock(hashtext(current_schema())); END IF; RETURN NULL; END $$; "
        "CREATE TRIGGER wait_for_the_raise AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION wait_for_the_raise()");
    auto answer = beside(fleet, {"SELECT pg_advisory_xact_lock(hashtext(current_schema()))"},
                         {"UPDATE epochs SET grants = grants + 1, api_keys = api_keys + 1"}, std::move(call));
    fleet.sql("DROP TRIGGER wait_for_the_raise ON users; DROP FUNCTION wait_for_the_raise; DROP SEQUENCE changes");
    return answer;
}

TEST(STO_6, AChangeBesideARaiseGrantsNothingOfTheNewEpoch) {
    SharedFleet fleet(1);
    const Person chief = fleet->make_person("superAdmin");
    constexpr const char* path = "/api/admin/api-key/create";
    const json::object wanted{{"name", "made beside a raise"}, {"type", "system"}};
    const auto current_keys = [&] {
        return fleet.number("SELECT count(*) FROM api_keys WHERE epoch = (SELECT e.api_keys FROM epochs e)");
    };

    TokenTexts tokens = tokens_of(fleet->client(0), chief);
    EXPECT_EQ(while_the_epoch_rises(
                  fleet, 2, [&] { return fleet->client(0).post(path, wanted, bearer(tokens.access)).code_name(); }),
              "jwtAccessTokenInvalid");
    EXPECT_EQ(current_keys(), 0);

    tokens = tokens_of(fleet->client(0), chief);
    const Answer made = fleet->client(0).post(path, wanted, bearer(tokens.access));
    ASSERT_EQ(made.status, 201U) << made.body;
    const std::string reset = "/api/admin/api-key/update/" + made.text("data.id") + "/reset";
    EXPECT_EQ(while_the_epoch_rises(
                  fleet, 2, [&] { return fleet->client(0).patch(reset, {}, bearer(tokens.access)).code_name(); }),
              "jwtAccessTokenInvalid");
    EXPECT_EQ(current_keys(), 0);
}

TEST(STO_6, BackupCodesMadeBesideARaiseAreNotOfTheNewEpoch) {
    SharedFleet fleet(1);
    TokenTexts tokens;
    const Person ada = fleet->make_protected_person(&tokens);
    const auto codes =
        while_the_epoch_rises(fleet, 2, [&] { return new_backup_codes(fleet->client(0), tokens.access); });
    EXPECT_TRUE(codes.empty());
    EXPECT_EQ(fleet.number("SELECT count(*) FROM backup_codes WHERE epoch = (SELECT e.grants FROM epochs e)"), 0);
}

TEST(SES_2, AnEndAtOneInstanceIsSeenByTheNextRequestAtTheOthers) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_person();
    for (std::size_t round = 0; round < 20; ++round) {
        const TokenTexts tokens = tokens_of(fleet->client(round), ada);
        for (std::size_t i = 0; i < everywhere; ++i)  // each instance has checked the session and cached it
            ASSERT_EQ(knock(fleet->client(i), tokens.access), 200U) << i;
        ASSERT_EQ(log_out(fleet->client(round + 1), tokens.access).status, 200U);
        for (std::size_t i = 0; i < everywhere; ++i) {
            EXPECT_EQ(knock(fleet->client(round + i), tokens.access), 401U) << i;
            EXPECT_EQ(refresh(fleet->client(round + i), tokens.refresh).status, 401U) << i;
        }
    }
}

// The cookie of the pages.
TEST(SES_2, ALogoutAtThePagesOfOneInstanceIsSeenByTheOthers) {
    SharedFleet fleet(3);
    const Person ada = fleet->make_person();
    for (std::size_t round = 0; round < 6; ++round) {
        std::size_t turn = round;
        Browser browser([&] { return fleet->at(turn).port(); });
        browser.log_in(ada.email, ada.password);
        for (std::size_t i = 0; i < 3; ++i) {
            ++turn;
            ASSERT_TRUE(browser.is_logged_in()) << turn;
        }
        const auto kept = browser.cookies;
        ++turn;
        EXPECT_EQ(browser.send("/logout", {}).status, 303U);
        browser.cookies = kept;
        for (std::size_t i = 0; i < 3; ++i) {
            ++turn;
            EXPECT_FALSE(browser.is_logged_in()) << turn;
        }
    }
}

TEST(SES_2, NoReaderThatRefillsTheCacheRevivesASession) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_person();
    for (std::size_t round = 0; round < 4; ++round) {
        const TokenTexts tokens = tokens_of(fleet->client(0), ada);
        std::atomic<bool> over = false;
        std::atomic<bool> acknowledged = false;
        std::atomic<std::size_t> passed_before = 0;
        std::atomic<std::size_t> passed_after = 0;
        std::atomic<std::size_t> asked_after = 0;
        std::vector<std::jthread> readers;
        for (std::size_t i = 0; i < 16; ++i)
            readers.emplace_back([&, i] {
                for (std::size_t turn = i; !over; ++turn) {
                    const bool after = acknowledged;
                    const bool passed = knock(fleet->client(turn), tokens.access) == 200U;
                    if (after) ++asked_after;
                    if (passed) ++(after ? passed_after : passed_before);
                }
            });
        while (passed_before < 40) std::this_thread::yield();
        EXPECT_EQ(log_out(fleet->client(round), tokens.access).status, 200U);
        acknowledged = true;
        while (asked_after < 80) std::this_thread::yield();
        over = true;
        readers.clear();
        EXPECT_EQ(passed_after, 0U);
    }
}

TEST(SES_5, AChangeOfPasswordAtOneInstanceEndsTheSessionsOfAll) {
    SharedFleet fleet(2);
    const Person ada = fleet->make_person();
    std::vector<TokenTexts> sessions;
    for (std::size_t i = 0; i < 6; ++i) sessions.push_back(tokens_of(fleet->client(i), ada));
    for (std::size_t i = 0; i < 12; ++i) ASSERT_EQ(knock(fleet->client(i), sessions[i / 2].access), 200U);
    ASSERT_EQ(
        fleet->client(0)
            .patch("/api/shared/user/change-password",
                   {{"oldPassword", ada.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(sessions[0].access))
            .status,
        200U);
    for (std::size_t i = 12; i-- > 0;) EXPECT_EQ(knock(fleet->client(i), sessions[i / 2].access), 401U) << i;
    EXPECT_EQ(log_in(fleet->client(1), ada).status, 400U) << "the former password";
}

TEST(SES_6, ATokenRefreshedAtAllInstancesAtOnceHasOneSuccessor) {
    SharedFleet fleet(everywhere);
    const Person ada = fleet->make_person();
    TokenTexts tokens = tokens_of(fleet->client(0), ada);
    for (std::size_t round = 0; round < 4; ++round) {
        const auto answers = at_once(80, [&](std::size_t i) { return refresh(fleet->client(i), tokens.refresh); });
        EXPECT_EQ(count(answers, 200), 80U) << testing::PrintToString(statuses(answers));
        std::set<std::string> successors;
        for (const Answer& answer : answers)
            if (answer.has("data")) successors.insert(json::serialize(answer.json.at("data")));
        EXPECT_EQ(successors.size(), 1U) << "all hold the same pair, byte by byte";
        const TokenTexts next = refreshed_tokens_in(answers[round]);
        for (std::size_t i = 0; i < everywhere; ++i) {
            EXPECT_EQ(knock(fleet->client(i), next.access), 200U);
            EXPECT_EQ(knock(fleet->client(i), tokens.access), 401U) << "the former access token";
        }
        EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE revoked_at IS NULL"), 1);
        tokens = next;
    }
}

TEST(SES_6, AnOldTokenAtAnotherInstanceEndsTheFamilyEverywhere) {
    SharedFleet fleet(2);
    const Person ada = fleet->make_person();
    const TokenTexts first = tokens_of(fleet->client(0), ada);
    const TokenTexts second = refreshed_tokens_in(refresh(fleet->client(0), first.refresh));
    const TokenTexts third = refreshed_tokens_in(refresh(fleet->client(1), second.refresh));
    EXPECT_EQ(knock(fleet->client(0), third.access), 200U);
    EXPECT_EQ(refresh(fleet->client(1), first.refresh).status, 401U);
    EXPECT_EQ(knock(fleet->client(0), third.access), 401U);
    EXPECT_EQ(refresh(fleet->client(0), third.refresh).status, 401U);
}

TEST(SES_2, ALogoutBesideAChangeThatKeepsTheSessionEndsIt) {
    SharedFleet fleet(1);
    const TokenTexts tokens = tokens_of(fleet->client(0), fleet->make_person());
    EXPECT_EQ(beside_a_rise(fleet, [&] { return log_out(fleet->client(0), tokens.access).status; }), 200U);
    EXPECT_EQ(knock(fleet->client(0), tokens.access), 401U);
    EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE revoked_reason = 'logout'"), 1);
}

TEST(SES_6, ARefreshBesideAChangeThatKeepsTheSessionIsNoReuse) {
    SharedFleet fleet(1);
    const TokenTexts tokens = tokens_of(fleet->client(0), fleet->make_person());
    const Answer answer = beside_a_rise(fleet, [&] { return refresh(fleet->client(0), tokens.refresh); });
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(knock(fleet->client(0), refreshed_tokens_in(answer).access), 200U);
    EXPECT_EQ(knock(fleet->client(0), tokens.access), 401U) << "the former access token";
}

TEST(SES_6, AReuseBesideAChangeThatKeepsTheSessionEndsIt) {
    SharedFleet fleet(1);
    const TokenTexts first = tokens_of(fleet->client(0), fleet->make_person());
    const TokenTexts second = refreshed_tokens_in(refresh(fleet->client(0), first.refresh));
    const TokenTexts third = refreshed_tokens_in(refresh(fleet->client(0), second.refresh));
    EXPECT_EQ(beside_a_rise(fleet, [&] { return refresh(fleet->client(0), first.refresh).status; }), 401U);
    EXPECT_EQ(knock(fleet->client(0), third.access), 401U);
    EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE revoked_reason = 'reuse'"), 1);
}

TEST(SES_2, TheOperatorEndsASessionBesideAChangeThatKeepsIt) {
    SharedFleet fleet(1);
    const Person ada = fleet->make_person();
    const TokenTexts tokens = tokens_of(fleet->client(0), ada);
    const std::string session = fleet.sql("SELECT id FROM sessions").at(0).at(0);
    const Finished ended =
        beside_a_rise(fleet, [&] { return fleet->run({"session", "revoke", "--email", ada.email, session}); });
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(knock(fleet->client(0), tokens.access), 401U);
}

TEST(SES_8, LoginsAtAllInstancesAtOnceKeepToTheBound) {
    SharedFleet fleet(everywhere, {{"AUTH_PASSWORD_ATTEMPT", "false"}});
    const Person ada = fleet->make_person();
    const auto answers = at_once(40, [&](std::size_t i) { return log_in_at_last(fleet->client(i), ada); });
    EXPECT_GT(count(answers, 200), 10U) << testing::PrintToString(statuses(answers));
    EXPECT_EQ(fleet.number("SELECT count(*) FROM sessions WHERE revoked_at IS NULL"), 10);
}

// Both lock the account's row before the link's, so that neither waits for the other forever.
TEST(REC_2, AResetBesideAnotherChangeOfTheAccountWaitsForIt) {
    SharedFleet fleet(1);
    const Person ada = fleet->make_person();
    ASSERT_EQ(fleet->client(0).post("/api/public/user/password/forgot", {{"email", ada.email}}).status, 200U);
    const Mailbox mailbox(fleet->data() / "mail");
    const std::string token = mailbox.wait_for(ada.email, "forgotPassword").token();
    const Answer reset =
        beside(fleet, {"UPDATE users SET security_version = security_version + 1"},
               {"SELECT 1 FROM account_tokens FOR UPDATE NOWAIT", "DELETE FROM account_tokens"}, [&] {
                   return fleet->client(0).call(
                       "PUT", "/api/public/user/password/reset",
                       json::serialize(json::object{{"token", token}, {"newPassword", "Copper-Meadow-77"}}));
               });
    EXPECT_EQ(reset.status, 400U) << reset.body;
    EXPECT_EQ(log_in(fleet->client(0), ada).status, 200U) << "with the former password";
}

}  // namespace
}  // namespace consentry::tests
