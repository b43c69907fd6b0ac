// Tests forgotten passwords: requesting the link, and what is needed to use it.
#include <future>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "crypto/digest.hpp"
#include "crypto/random.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/files.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

constexpr const char* unknown = "nobody@example.org";

std::string quoted(const UserId& id) { return "'" + id.text() + "'"; }

TEST(REC_1, EveryAddressGetsTheSameAnswerAndOnlyOwnersGetAMail) {
    Service& service = suite_service();
    const Person known = service.make_person();
    const Person social = service.make_person();
    const Person inactive = service.make_person();
    const Person blocked = service.make_person();
    service.sql("UPDATE users SET password_hash = NULL WHERE id = " + quoted(social.id));
    service.sql("UPDATE users SET status = 'inactive' WHERE id = " + quoted(inactive.id));
    service.sql("UPDATE users SET status = 'blocked' WHERE id = " + quoted(blocked.id));
    ASSERT_EQ(sign_up(service, "pending@example.org").status, 201U);
    const Answer answer = forget(service, known.email);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_FALSE(answer.has("data"));
    for (const std::string& address : {std::string(unknown), social.email, inactive.email, blocked.email,
                                       std::string("pending@example.org"), known.email})
        EXPECT_EQ(comparable(forget(service, address)), comparable(answer)) << address;
    for (const std::string& address : {known.email, social.email, std::string("pending@example.org")})
        EXPECT_EQ(mails(service, address, "forgotPassword"), 1U) << address;
    for (const std::string& address : {std::string(unknown), inactive.email, blocked.email})
        EXPECT_EQ(mails(service, address), 0U) << address;

    const Answer resent = service.post(resend_path, {{"email", known.email}});
    EXPECT_EQ(resent.status, 200U);
    for (const std::string& address : {std::string(unknown), social.email, std::string("pending@example.org")})
        EXPECT_EQ(comparable(service.post(resend_path, {{"email", address}})), comparable(resent)) << address;
    EXPECT_EQ(mails(service, "pending@example.org", "verifyEmail"), 2U);
    EXPECT_EQ(mails(service, known.email, "verifyEmail"), 0U);
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests WHERE email <> '' OR ip_address <> ''"), "0")
        << "of a stranger's address only the digest stays";
}

TEST(PWD_4, AResetNamesAWeakPasswordBesideAllElseThatIsWrong) {
    Service& service = suite_service();
    const Answer refused = service.call("PUT", reset_path, R"({"newPassword":"Summer2026","token":"","code":"x"})");
    EXPECT_EQ(refused.status, 422U);
    EXPECT_TRUE(refused.violates("token", "isNotEmpty")) << refused.body;
    EXPECT_TRUE(refused.violates("code", "isTwoFactorCode")) << refused.body;
    EXPECT_TRUE(refused.violates("newPassword", "isNotCommonPassword")) << refused.body;
    EXPECT_EQ(refused.json.at("errors").as_array().size(), 3U) << "each once: " << refused.body;
}

TEST(REC_1, AHundredRequestsSendOneMailUntilTheWaitIsOver) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto ask = [&] {
        const auto answers =
            all_at_once(service, std::vector<Call>(100, Call{.path = forgot_path, .body = {{"email", person.email}}}));
        EXPECT_EQ(count(answers, 200), 100U);
    };
    ask();
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 1U);
    service.pass(std::chrono::minutes{2} - milliseconds{1});
    ask();
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 1U);
    service.pass(milliseconds{1});
    ask();
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 2U);
    EXPECT_EQ(one(service, "SELECT count(*) FROM activity_log WHERE action = 'userForgotPassword' AND user_id = " +
                               quoted(person.id)),
              "2");
}

TEST(REC_1, TheRequestDoesTheSameWhoeverTheAddressBelongsTo) {
    Service service;
    const Person person = service.make_person();
    // If the request itself wrote the mail, it would fail for the known address only.
    service.break_writes("INSERT ON mails");
    EXPECT_EQ(forget(service, person.email).status, 200U);
    EXPECT_EQ(forget(service, unknown).status, 200U);
    service.mend_writes();
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 1U) << "put off, not lost";
}

// Asks for a link from another network, through a trusted proxy.
Answer forget_from(const Service& service, const std::string& client, const std::string& email) {
    return service.post(forgot_path, {{"email", email}}, {{"X-Forwarded-For", client}});
}

TEST(REC_1, ANetworkGetsItsShareOfLinksAndTheAnswerDoesNotTell) {
    Service service({{"LINK_REQUESTS_MAX_PER_CLIENT", "4"}, {"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    const std::string here = "203.0.113.7";
    const Person first = service.make_person();
    const Person second = service.make_person();
    const Answer answer = forget_from(service, here, first.email);
    EXPECT_EQ(answer.status, 200U);
    forget_from(service, here, first.email);  // too soon for a link, and counted all the same
    forget_from(service, here, "a@example.org");
    EXPECT_EQ(service.post(resend_path, {{"email", "c@example.org"}}, {{"X-Forwarded-For", here}}).status, 200U)
        << "all kinds of links share the number";
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "3");

    for (int i = 0; i < 2; ++i) EXPECT_EQ(comparable(forget_from(service, here, second.email)), comparable(answer));
    EXPECT_EQ(comparable(forget_from(service, here, unknown)), comparable(answer));
    EXPECT_EQ(mails(service, first.email, "forgotPassword"), 1U);
    EXPECT_EQ(mails(service, second.email), 0U);
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "3") << "nothing is recorded";

    // What one network asked in vain keeps no other one waiting.
    EXPECT_EQ(comparable(forget_from(service, "203.0.113.8", second.email)), comparable(answer));
    EXPECT_EQ(mails(service, second.email, "forgotPassword"), 1U);
    service.pass(std::chrono::minutes{10});
    forget_from(service, here, second.email);
    EXPECT_EQ(mails(service, second.email, "forgotPassword"), 2U);
}

TEST(REC_1, ANetworkIsAHouseholdAndItsRefusalsAreTold) {
    Service service({{"LINK_REQUESTS_MAX_PER_CLIENT", "1"}, {"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    const Person person = service.make_person();
    forget_from(service, "2001:db8:1:2::1", unknown);
    forget_from(service, "2001:db8:1:2:ffff::9", person.email);
    EXPECT_EQ(mails(service, person.email), 0U);
    forget_from(service, "2001:db8:1:3::1", person.email);
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 1U);
    forget_from(service, "192.0.2.1", person.email);
    service.restart();  // writes the pending events
    std::vector<std::string> told;
    for (const json::object& event : entries_in(service.folder() / "data" / "security" / "events.log"))
        if (event.at("event") == "password.forgotten") {
            const auto* detail = event.if_contains("detail");
            told.push_back(std::string(event.at("outcome").as_string()) +
                           (detail != nullptr ? " " + std::string(detail->at("reason").as_string()) : ""));
        }
    EXPECT_EQ(told, (std::vector<std::string>{"success", "refused clientLimit", "success", "refused tooSoon"}));
}

TEST(REC_1, WithoutALimitEveryAddressGetsItsLink) {
    Service service({{"LINK_REQUESTS_MAX_PER_CLIENT", "0"}});
    for (int i = 0; i < 150; ++i) forget(service, "nobody" + std::to_string(i) + "@example.org");
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "150");
}

TEST(REC_2, TheTokenIsRandomAndOnlyItsDigestIsKept) {
    Service& service = suite_service();
    std::set<std::string> seen;
    for (int i = 0; i < 10; ++i) {
        const Person person = service.make_person();
        forget(service, person.email);
        const std::string token = forgotten_token(service, person.email);
        EXPECT_EQ(token.size(), 100U);
        EXPECT_EQ(token.find_first_not_of(crypto::alphanumerics), std::string::npos);
        EXPECT_TRUE(seen.insert(token).second);
        EXPECT_EQ(one(service, "SELECT count(*) FROM account_tokens WHERE digest = " +
                                   service.literal(BytesView(crypto::sha256(token)))),
                  "1");
    }
    settle_mails(service);
    if (!on_shared_engines()) {
        service.sql("PRAGMA wal_checkpoint(TRUNCATE)");
        const std::string file = text_in(service.folder() / "data" / "consentry.db");
        for (const std::string& token : seen) EXPECT_FALSE(file.contains(token));
    }
}

TEST(REC_2, TwoHundredUsesAtOnceSetOnePassword) {
    Service& service = suite_service();
    const Person person = service.make_person();
    forget(service, person.email);
    const std::string token = forgotten_token(service, person.email);
    std::vector<Call> calls;
    for (int i = 0; i < 200; ++i)
        calls.push_back({.path = reset_path,
                         .body = {{"token", token}, {"newPassword", "Copper-Meadow-" + std::to_string(100 + i)}},
                         .method = "PUT"});
    const auto answers = all_at_once(service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 200) + count(answers, 400, "tokenInvalid") + count(answers, 503), 200U);
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i].status == 200)
            EXPECT_EQ(service.log_in(person.email, "Copper-Meadow-" + std::to_string(100 + i)).status, 200U);
    EXPECT_EQ(service.log_in(person).status, 400U);
    EXPECT_EQ(mails(service, person.email, "passwordReset"), 1U);
    EXPECT_EQ(
        one(service, "SELECT count(*) FROM password_history WHERE type = 'forgot' AND user_id = " + quoted(person.id)),
        "1");
}

TEST(REC_2, OlderSpentExpiredAndForeignTokensGetOneAnswer) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person other = service.make_person();
    forget(service, person.email);
    const std::string older = forgotten_token(service, person.email);
    service.pass(std::chrono::minutes{2});
    forget(service, person.email);
    const std::string newer = forgotten_token(service, person.email, 1);
    const Answer refused = reset(service, older, new_password);
    EXPECT_EQ(refused.status, 400U);
    EXPECT_EQ(refused.number("statusCode"), 5169);
    EXPECT_EQ(refused.code_name(), "tokenInvalid");
    ASSERT_EQ(reset(service, newer, new_password).status, 200U);
    ASSERT_EQ(sign_up(service, "pending@example.org").status, 201U);
    const std::string foreign = Mailbox(service).wait_for("pending@example.org", "verifyEmail").token();
    forget(service, other.email);
    const std::string expired = forgotten_token(service, other.email);
    service.pass(std::chrono::minutes{5});
    for (const std::string& token : {newer, foreign, expired, std::string(100, 'A'), std::string("%00")})
        EXPECT_EQ(comparable(reset(service, token, "Amber-Canyon-31")), comparable(refused)) << token;
    EXPECT_EQ(service.log_in(other).status, 200U);
    EXPECT_EQ(service.log_in(person.email, new_password).status, 200U);
}

TEST(REC_2, AClockThatIsSetBackProlongsNoLink) {
    Service service;
    const Person person = service.make_person();
    ASSERT_EQ(sign_up(service, "ada@example.org").status, 201U);
    const std::string verification = Mailbox(service).wait_for("ada@example.org", "verifyEmail").token();
    forget(service, person.email);
    const std::string token = forgotten_token(service, person.email);
    service.clock().step(-std::chrono::hours{1});
    service.pass(std::chrono::minutes{30});
    EXPECT_EQ(reset(service, token, new_password).code_name(), "tokenInvalid");
    EXPECT_EQ(verify_email(service, verification).code_name(), "tokenInvalid");
    EXPECT_EQ(service.log_in(person).status, 200U) << "unchanged";
    forget(service, person.email);
    ASSERT_EQ(mails(service, person.email, "forgotPassword"), 2U);
    const std::string newer = forgotten_token(service, person.email);  // emails are sorted by their times
    EXPECT_EQ(reset(service, newer, new_password).status, 200U);
}

TEST(REC_2, TheTokenEndsWithAnyChangeOfPasswordOrAddress) {
    Service& service = suite_service();
    for (int way = 0; way < 4; ++way) {
        const Person person = service.make_person();
        const TokenTexts tokens = service.tokens_of(person);
        forget(service, person.email);
        const std::string token = forgotten_token(service, person.email);
        auto& passwords = service.app().services().passwords;
        const auto user = run(service.app().services().users.find(person.id)).value();
        if (way == 0)
            service.patch("/api/shared/user/change-password",
                          {{"oldPassword", person.password}, {"newPassword", "Amber-Canyon-31"}},
                          bearer(tokens.access));
        if (way == 1) EXPECT_TRUE(run(passwords.set(user, "Amber-Canyon-31")));
        if (way == 2) EXPECT_TRUE(run(passwords.give_temporary(Actor::operator_at_the_machine(), user, {})));
        if (way == 3) service.sql("UPDATE users SET email = 'moved@example.org' WHERE id = " + quoted(person.id));
        EXPECT_EQ(reset(service, token, new_password).code_name(), "tokenInvalid") << way;
    }
}

// A link is valid only for the version of the account at which it was sent. These changes delete the link. The last one
// only raises the version: the link still exists, but is refused.
TEST(REC_2, TheTokenEndsWithEveryChangeThatEndsWhatWasGranted) {
    Service& service = suite_service();
    const TokenTexts admin = service.tokens_of(service.make_person(Role::admin));
    const auto change = [&](const Person& person, const char* what, const json::object& body) {
        return service.patch("/api/admin/user/update/" + person.id.text() + "/" + what, body, bearer(admin.access))
            .status;
    };
    for (int way = 0; way < 4; ++way) {
        Person person = service.make_person();
        if (way == 1) service.turn_two_factor_on(person);
        forget(service, person.email);
        const std::string token = forgotten_token(service, person.email);
        if (way == 0) {
            EXPECT_EQ(change(person, "status", {{"status", "inactive"}}), 200U);
            EXPECT_EQ(change(person, "status", {{"status", "active"}}), 200U);
        }
        if (way == 1) EXPECT_EQ(change(person, "2fa/reset", {}), 200U);
        if (way == 2) service.turn_two_factor_on(person);
        if (way == 3)
            service.sql("UPDATE users SET security_version = security_version + 1 WHERE id = " + quoted(person.id));
        EXPECT_EQ(reset(service, token, new_password, {{"code", service.next_code(person)}}).code_name(),
                  "tokenInvalid")
            << way;
        EXPECT_EQ(reset(service, token, new_password).code_name(), "tokenInvalid") << way;
        EXPECT_EQ(service.log_in(person.email, new_password).code_name(), "passwordNotMatch") << way;
    }
}

TEST(REC_2, AccountsThatMayNotActAreNotRecovered) {
    Service& service = suite_service();
    for (const char* status : {"inactive", "blocked"}) {
        const Person person = service.make_person();
        forget(service, person.email);
        const std::string token = forgotten_token(service, person.email);
        service.sql("UPDATE users SET status = '" + std::string(status) + "' WHERE id = " + quoted(person.id));
        EXPECT_EQ(reset(service, token, new_password).code_name(), "tokenInvalid") << status;
        service.sql("UPDATE users SET status = 'active' WHERE id = " + quoted(person.id));
        EXPECT_EQ(service.log_in(person).status, 200U) << "unchanged";
    }
}

TEST(PWD_5, TheExpiredPasswordIsNotANewOne) {
    // By then, it may be reused as far as former passwords go.
    for (const auto& [reuse_barred, period] : {std::pair{"7776000", 90}, std::pair{"0", 1}}) {
        Service service(
            {{"AUTH_PASSWORD_PERIOD_IN_SECONDS", reuse_barred}, {"AUTH_PASSWORD_EXPIRED_IN_SECONDS", "7776060"}});
        const Person person = service.make_person();
        service.pass(seconds{7'776'060});
        ASSERT_EQ(service.log_in(person).code_name(), "passwordExpired");
        forget(service, person.email);
        const std::string token = forgotten_token(service, person.email);
        const Answer refused = reset(service, token, person.password);
        EXPECT_EQ(refused.status, 400U) << refused.body;
        EXPECT_EQ(refused.code_name(), "passwordMustNew");
        EXPECT_EQ(refused.number("data.period"), period);
        EXPECT_EQ(reset(service, token, new_password).status, 200U) << "the link stays good";
        EXPECT_EQ(service.log_in(person.email, new_password).status, 200U);
    }
}

TEST(REC_4, LinksAreBuiltFromTheSettingAlone) {
    Service service({{"FORGOT_PASSWORD_LINK_BASE_URL", "https://accounts.example.test/forgot/"},
                     {"VERIFICATION_LINK_BASE_URL", "https://accounts.example.test/verify"}});
    const Person person = service.make_person();
    const Headers evil{{"Host", "evil.example"},
                       {"X-Forwarded-Host", "evil.example"},
                       {"X-Forwarded-Proto", "http"},
                       {"Forwarded", "host=evil.example;proto=http"},
                       {"Origin", "https://evil.example"},
                       {"Referer", "https://evil.example/x"},
                       {"X-Original-URL", "https://evil.example/"}};
    ASSERT_EQ(service.post(forgot_path, {{"email", person.email}}, evil).status, 200U);
    ASSERT_EQ(service.post(sign_up_path, sign_up_body("ada@example.org"), evil).status, 201U);
    const ReceivedMail forgotten = Mailbox(service).wait_for(person.email, "forgotPassword");
    EXPECT_EQ(forgotten.link(), "https://accounts.example.test/forgot/" + forgotten.token());
    const ReceivedMail verify = Mailbox(service).wait_for("ada@example.org", "verifyEmail");
    EXPECT_EQ(verify.link(), "https://accounts.example.test/verify/" + verify.token());
    EXPECT_FALSE(forgotten.raw.contains("evil") || verify.raw.contains("evil"));
}

TEST(REC_5, MailGoesToTheStoredAddressWhateverWasTyped) {
    Service service;
    const Person person = person_named(service, "victim@example.org");
    for (const char* wrong :
         {R"(["victim@example.org","evil@example.org"])", R"({"to":"victim@example.org"})",
          R"("victim@example.org,evil@example.org")", R"("victim@example.org\r\nbcc:evil@example.org")",
          R"("victim@example.org;evil@example.org")", R"("vict\u0131m@example.org")", R"("victim@example.org\u0000")",
          R"("Victim <victim@example.org>")"}) {
        EXPECT_EQ(service.call("POST", forgot_path, R"({"email":)" + std::string(wrong) + "}").status, 422U) << wrong;
        EXPECT_EQ(service.call("POST", resend_path, R"({"email":)" + std::string(wrong) + "}").status, 422U) << wrong;
    }
    ASSERT_EQ(forget(service, "VICTIM@Example.ORG").status, 200U);
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 1U);
    EXPECT_EQ(Mailbox(service).all().size(), 1U) << "and none to anybody else";
}

TEST(Recovery, ARequestThatCannotBeCarriedOutHoldsUpNobody) {
    constexpr const char* ada = "ada@example.org";
    Service service;
    newcomer(service, ada);
    newcomer(service, "bob@example.org");
    forget(service, ada);
    forgotten_token(service, ada);
    service.sql(
        "INSERT INTO link_requests (address_digest, purpose, email, ip_address, user_agent, requested_at) "
        "SELECT address_digest, 'ofANewerVersion', email, ip_address, user_agent, 1 FROM link_requests LIMIT 1");
    service.sql("UPDATE users SET status = 'ofANewerVersion' WHERE email = 'bob@example.org'");
    EXPECT_EQ(forget(service, "bob@example.org").status, 200U);
    service.clock().advance(std::chrono::minutes{2});
    EXPECT_EQ(forget(service, ada).status, 200U);
    EXPECT_FALSE(forgotten_token(service, ada, 1).empty());
}

TEST(Recovery, AClockThatIsSetBackHoldsUpNoLink) {
    Service service;
    const Person person = service.make_person();
    ASSERT_EQ(sign_up(service, "ada@example.org").status, 201U);
    service.post(resend_path, {{"email", "ada@example.org"}});
    forget(service, person.email);
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 1U);
    const std::size_t before = mails(service, "ada@example.org", "verifyEmail");
    service.clock().step(-std::chrono::hours{1});
    service.pass(std::chrono::minutes{3});
    forget(service, person.email);
    service.post(resend_path, {{"email", "ada@example.org"}});
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 2U);
    EXPECT_EQ(mails(service, "ada@example.org", "verifyEmail"), before + 1);
    forget(service, person.email);
    EXPECT_EQ(mails(service, person.email, "forgotPassword"), 2U) << "the wait begins again";
}

// The owner uses the link of the sign-up while a reset of the same account is under way, which has seen the address as
// unproven.
TEST(REC_2, AResetTakesNothingFromAnOwnerWhoIsVerifiedMeanwhile) {
    Service service;
    ASSERT_EQ(sign_up(service, "ada@example.org").status, 201U);
    forget(service, "ada@example.org");
    const std::string token = forgotten_token(service, "ada@example.org");
    Services& real = service.app().services();
    bool is_verified = false;
    FaultyDatabase interrupted(real.database, [&](std::string_view call) {
        if (call == "commit" && !std::exchange(is_verified, true))
            service.sql("UPDATE users SET is_verified = TRUE, name = 'Ada' WHERE email = 'ada@example.org'");
    });
    Passwords passwords(interrupted, real.clock, real.hasher, real.two_factor, real.consents, real.mails, real.audit,
                        {});
    EXPECT_THROW(
        static_cast<void>(run(passwords.reset({.token = token, .new_password = new_password, .proof = {}}, {}))),
        Unavailable);
    EXPECT_TRUE(is_verified);
    const auto name = [&] { return one(service, "SELECT name FROM users WHERE email = 'ada@example.org'"); };
    EXPECT_EQ(name(), "Ada");
    EXPECT_EQ(reset(service, token, new_password).status, 200U) << "tried again";
    EXPECT_EQ(name(), "Ada") << "to the owner";
}

TEST(Recovery, RequestsFromBeforeTheClockWasSetBackAreForgotten) {
    Service service;
    forget(service, unknown);
    settle_mails(service);
    service.clock().step(-std::chrono::hours{1});
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "1") << "the clock of another instance may be ahead";
    service.clock().step(-std::chrono::days{1});
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "0");
}

// Another connection has made the request again, and commits once the clean-up waits for the row.
TEST(Recovery, ARequestThatIsMadeAgainDuringTheCleanUpIsKept) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    Service service;
    forget(service, unknown);
    settle_mails(service);
    service.pass(std::chrono::days{2});
    service.sql(
        "CREATE FUNCTION wait_until_awaited() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
        "FOR i IN 1..2000 LOOP EXIT WHEN EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted "
        "AND pg_backend_pid() = ANY (pg_blocking_pids(pid))); PERFORM pg_sleep(0.01); END LOOP; END $$");
    auto again = std::async(std::launch::async, [&] {
        service.sql("UPDATE link_requests SET requested_at = " + std::to_string(epoch_ms(service.clock().now())) +
                    ", handled_at = NULL; SELECT wait_until_awaited()");
    });
    ASSERT_TRUE(eventually([&] {
        return one(service,
                   "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%wait_until_awaited()' "
                   "AND wait_event = 'PgSleep'") == "1";
    }));
    run(service.app().services().clean_up());
    again.get();
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "1");
}

TEST(Recovery, RequestsAndTokensAreForgottenInTime) {
    Service service;
    const Person person = service.make_person();
    forget(service, person.email);
    forget(service, unknown);
    forgotten_token(service, person.email);
    settle_mails(service);
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "2");
    service.pass(std::chrono::days{1} + milliseconds{1});
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT count(*) FROM link_requests"), "0");
    EXPECT_EQ(one(service, "SELECT count(*) FROM account_tokens"), "0");
}

}  // namespace
}  // namespace consentry::tests
