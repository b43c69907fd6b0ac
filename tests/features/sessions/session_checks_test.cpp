// Tests that a valid signature is not enough: sessions are looked up, ended and limited in number (SES-1 to SES-5,
// SES-8).
#include <array>
#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include "app/app.hpp"
#include "crypto/random.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/run.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

std::string session_of(const std::string& token) { return std::string(claims_of(token).at("sid").as_string()); }

std::string literal(const std::string& id) { return "'" + id + "'"; }
std::string literal(const UserId& id) { return literal(id.text()); }

void expect_dead(const Service& service, const TokenTexts& tokens, const std::string& what) {
    expect_refused_token(service, tokens.access, what);
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U) << what;
}
void expect_alive(const Service& service, const TokenTexts& tokens, const std::string& what) {
    EXPECT_EQ(status_with(service, tokens.access).status, 200U) << what;
}

// Returns all rows of all tables as text.
std::map<std::string, std::vector<std::vector<std::string>>> dump(const Service& service) {
    std::map<std::string, std::vector<std::vector<std::string>>> out;
    for (const auto& table : service.tables()) out[table] = service.sql("SELECT * FROM " + table);
    return out;
}

TEST(SES_1, ADeletedSessionOpensNothing) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    expect_alive(service, tokens, "before");
    service.sql("DELETE FROM sessions WHERE id = " + literal(session_of(tokens.access)));
    expect_dead(service, tokens, "after");
}

TEST(SES_1, AJtiThatWasNeverIssuedOpensNothing) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    const auto others = service.tokens_of(service.make_person());
    const Forge forge(service, tokens.access);
    expect_refused_token(service, forge.with_claim("jti", as_json(std::string(32, 'A'))), "never issued");
    expect_refused_token(service, forge.with_claim("jti", json::serialize(claims_of(others.access).at("jti"))),
                         "another user's jti");
    const auto foreign = claims_of(others.access);
    const auto mixed =
        forge.claims.with("sid", json::serialize(foreign.at("sid"))).with("jti", json::serialize(foreign.at("jti")));
    expect_refused_token(service, forge.sign(forge.header, mixed), "another user's session and jti under the own sub");
    expect_alive(service, tokens, "the own one");
    expect_alive(service, others, "the other one");
}

TEST(SES_1, ADeletedUserHasNoSession) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    expect_alive(service, tokens, "before");
    service.sql("UPDATE users SET deleted_at = 1700000011000 WHERE id = " + literal(person.id));
    expect_dead(service, tokens, "soft-deleted");
    EXPECT_EQ(service.log_in(person).code_name(), "passwordNotMatch");
}

TEST(SES_2, NobodyPassesOnceARevokeIsAcknowledged) {
    Service service({{"HTTP_THREADS", "4"}});
    const auto tokens = service.tokens_of(service.make_person());
    constexpr int readers = 200;
    std::atomic<bool> acknowledged{false};
    std::atomic<int> passed_before{0};
    std::atomic<int> passed_after{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < readers; ++i)
        threads.emplace_back([&] {
            for (bool last = false; !last;) {
                last = acknowledged.load();  // read before the request is sent
                const bool passed = status_with(service, tokens.access).status == 200;
                if (passed) (last ? passed_after : passed_before).fetch_add(1);
            }
        });
    while (passed_before.load() < readers) std::this_thread::yield();
    EXPECT_EQ(service.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 200U);
    acknowledged.store(true);
    threads.clear();
    EXPECT_EQ(passed_after.load(), 0);
    expect_dead(service, tokens, "afterwards");
}

// Ends the session of the token with `change`, then puts the former copy back into the cache.
void restore_cached_copy(Service& service, const Person& person, const std::string& token,
                         const std::function<void()>& change) {
    const std::string key = "User:" + person.id.text() + ":Session:" + session_of(token);
    auto& cache = service.app().services().cache;
    const auto copy = run(cache.get(key));
    ASSERT_TRUE(copy) << "the session was cached";
    change();
    run(cache.put(key, *copy, std::chrono::hours{1}));
    ASSERT_TRUE(run(cache.get(key)));
}

TEST(SES_2, ACachedCopyRestoredByHandOpensNothing) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    expect_alive(service, tokens, "fills the cache");
    restore_cached_copy(service, person, tokens.access, [&] {
        EXPECT_EQ(service.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 200U);
    });
    expect_refused_token(service, tokens.access, "a revoked session in the cache");
    // The same holds if the row is deleted altogether.
    const auto more = service.tokens_of(person);
    expect_alive(service, more, "fills the cache");
    restore_cached_copy(service, person, more.access,
                        [&] { service.sql("DELETE FROM sessions WHERE id = " + literal(session_of(more.access))); });
    expect_refused_token(service, more.access, "a deleted session in the cache");
}

// Redis stores a number in the entry itself. Text would take 48 more bytes per session.
TEST(SES_2, ACopyThatDecidesNothingIsANumber) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    const std::string key = "User:" + person.id.text() + ":Session:" + session_of(tokens.access);
    auto& cache = service.app().services().cache;
    expect_alive(service, tokens, "fills the cache");
    const auto copy = run(cache.get(key));
    ASSERT_TRUE(copy);
    EXPECT_THAT(*copy, ::testing::MatchesRegex("[1-9][0-9]{0,18}"));
    EXPECT_GT(std::stoll(*copy), 10'000) << "Redis shares smaller numbers, but not if its memory is limited";

    // A request does not write a copy that is there already, whichever version of the program wrote it.
    for (const std::string& present : {"0" + *copy, std::string(claims_of(tokens.access).at("jti").as_string())}) {
        run(cache.put(key, present, std::chrono::hours{1}));
        expect_alive(service, tokens, present);
        EXPECT_EQ(run(cache.get(key)), present);
    }
    run(cache.put(key, "1", std::chrono::hours{1}));
    expect_alive(service, tokens, "copy of a former token");
    EXPECT_EQ(run(cache.get(key)), copy);
    const Answer refreshed = refresh_with(service, tokens.refresh);
    EXPECT_EQ(status_with(service, refreshed.text("data.accessToken")).status, 200U);
    EXPECT_NE(run(cache.get(key)), copy) << "a refresh changes the jti";
}

TEST(SES_2, DisablingAndEnablingAUserRevivesNothing) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    expect_alive(service, tokens, "before");
    restore_cached_copy(service, person, tokens.access, [&] {
        // A change of status ends the sessions and raises the version in one transaction.
        service.sql("BEGIN; UPDATE users SET status = 'inactive', security_version = security_version + 1 WHERE id = " +
                    literal(person.id) +
                    "; UPDATE sessions SET revoked_at = 1700000011000, revoked_reason = 'inactive' " +
                    "WHERE user_id = " + literal(person.id) + "; COMMIT");
    });
    EXPECT_EQ(status_with(service, tokens.access).status, 401U);
    service.sql("UPDATE users SET status = 'active', security_version = security_version + 1 WHERE id = " +
                literal(person.id));
    expect_dead(service, tokens, "enabled again");
    expect_alive(service, service.tokens_of(person), "a new login");
}

TEST(SES_2, WithSessionCheckCacheNothingThatEndedIsCached) {
    Service service({{"SESSION_CHECK", "cache"}});
    const auto tokens = service.tokens_of(service.make_person());
    expect_alive(service, tokens, "before");
    expect_alive(service, tokens, "from the cache");
    EXPECT_EQ(service.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 200U);
    for (int i = 0; i < 3; ++i) expect_refused_token(service, tokens.access, "request " + std::to_string(i));
    const Person inactive = service.make_person();
    const auto its = service.tokens_of(inactive);
    service.sql("UPDATE users SET status = 'inactive' WHERE id = " + literal(inactive.id));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(status_with(service, its.access).status, 403U) << i;
}

TEST(SES_2, WithSessionCheckCacheWhatEndsElsewhereEndsWithinAMinute) {
    Service service({{"SESSION_CHECK", "cache"}});
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    const auto other = service.tokens_of(person);
    expect_alive(service, other, "fills the cache");
    const Answer changed =
        service.patch("/api/shared/user/change-password",
                      {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(tokens.access));
    ASSERT_EQ(changed.status, 200U) << changed.body;
    service.pass(std::chrono::minutes{1});
    expect_dead(service, other, "a minute later");
    expect_dead(service, tokens, "a minute later");
}

TEST(SES_3, BeforeTheLastFactorNothingIsStored) {
    Service service({{"CONSENT_LOG_ENABLE", "false"}});  // the logs take acts in asynchronously
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    // The mail about the change leaves asynchronously.
    ASSERT_TRUE(eventually([&] { return service.sql("SELECT count(*) FROM mails")[0][0] == "0"; }));
    auto before = dump(service);
    const Answer login = service.log_in(person);
    auto after = dump(service);
    EXPECT_FALSE(login.has("data.tokens"));
    EXPECT_FALSE(login.headers.contains("set-cookie"));
    // In the users table, only the account's number of challenges may have changed.
    const std::string rest_of_users =
        "SELECT id, status, security_version, password_attempt, password_locked_until, last_login_at, updated_at FROM "
        "users";
    before.erase("users");
    after.erase("users");
    EXPECT_EQ(before, after);
    const auto users = service.sql(rest_of_users);
    const std::string challenge = login.text("data.challengeToken");
    EXPECT_EQ(service.verify(challenge, "000000").status, 401U);
    EXPECT_EQ(service.sql(rest_of_users), users);
    EXPECT_EQ(dump(service).at("sessions"), after.at("sessions")) << "a wrong code makes no session";
    EXPECT_FALSE(service.verify(challenge, "000000").headers.contains("set-cookie"));
    expect_refused_token(service, challenge, "the challenge itself");
    // Neither the database nor the cache's key contains the challenge itself.
    for (const auto& [table, rows] : dump(service))
        for (const auto& row : rows)
            for (const auto& value : row) EXPECT_EQ(value.find(challenge), std::string::npos) << table;
    EXPECT_FALSE(run(service.app().services().cache.get("TwoFactor:" + challenge)));
}

TEST(SES_4, IdentifiersAreNewAndEvenlyDrawn) {
    // Draws 10^5 identifiers of each length, as for jtis and challenges.
    for (const std::size_t length : {32U, 48U}) {
        constexpr std::size_t count = 100'000;
        std::set<std::string> seen;
        std::vector<std::array<int, 128>> frequency(length);
        for (std::size_t i = 0; i < count; ++i) {
            std::string one = crypto::random_text(length, crypto::alphanumerics);
            for (std::size_t at = 0; at < length; ++at) ++frequency[at][static_cast<unsigned char>(one[at])];
            seen.insert(std::move(one));
        }
        EXPECT_EQ(seen.size(), count);
        const double expected = static_cast<double>(count) / static_cast<double>(crypto::alphanumerics.size());
        for (std::size_t at = 0; at < length; ++at) {
            double chi = 0;
            for (const char c : crypto::alphanumerics)
                chi += std::pow(frequency[at][static_cast<unsigned char>(c)] - expected, 2) / expected;
            // 61 degrees of freedom: a fair generator exceeds 160 about once in 10^10 cases.
            EXPECT_LT(chi, 160.0) << "position " << at;
        }
    }
}

TEST(SES_4, EveryLoginStepUpAndRefreshBringsNewOnes) {
    Service service;
    Person person = service.make_person();
    std::set<std::string> jtis;
    std::set<std::string> sessions;
    std::set<std::string> challenges;
    std::size_t made = 0;
    const auto note = [&](const std::string& token) {
        const std::string jti(claims_of(token).at("jti").as_string());
        EXPECT_EQ(jti.size(), 32U);
        jtis.insert(jti);
        ++made;
    };
    for (int i = 0; i < 5; ++i) {
        const auto tokens = service.tokens_of(person);
        note(tokens.access);
        sessions.insert(session_of(tokens.access));
        note(refresh_with(service, tokens.refresh).text("data.accessToken"));
    }
    service.turn_two_factor_on(person);
    for (int i = 0; i < 5; ++i) {
        const std::string challenge = service.challenge_of(person);
        EXPECT_EQ(challenge.size(), 48U);
        challenges.insert(challenge);
        const Answer verified = service.verify(challenge, service.next_code(person));
        note(verified.text("data.tokens.accessToken"));
        sessions.insert(session_of(verified.text("data.tokens.accessToken")));
    }
    EXPECT_EQ(jtis.size(), made);
    EXPECT_EQ(sessions.size(), 10U);
    EXPECT_EQ(challenges.size(), 5U);
}

// Creates a session for each kind of client: plain, mobile, and mobile with a device.
std::vector<TokenTexts> sessions_of_all_kinds(const Service& service, const Person& person) {
    std::vector<TokenTexts> out;
    for (const auto& more :
         {json::object{{"from", "website"}}, json::object{{"from", "mobile"}},
          json::object{{"from", "mobile"}, {"device", {{"fingerprint", "a-device"}, {"platform", "ios"}}}}}) {
        json::object body{{"email", person.email}, {"password", person.password}};
        for (const auto& member : more) body[member.key()] = member.value();
        const Answer answer = service.post("/api/public/user/login/credential", body);
        EXPECT_EQ(answer.status, 200U) << answer.body;
        out.push_back({answer.text("data.tokens.accessToken"), answer.text("data.tokens.refreshToken")});
        expect_alive(service, out.back(), "new");
    }
    return out;
}

TEST(SES_5, AChangeOfPasswordEndsAllSessions) {
    Service& service = suite_service();
    Person person = service.make_person();
    const auto sessions = sessions_of_all_kinds(service, person);
    const auto bystander = service.tokens_of(service.make_person());
    const Answer changed = service.patch("/api/shared/user/change-password",
                                         {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}},
                                         bearer(sessions[0].access));
    ASSERT_EQ(changed.status, 200U) << changed.body;
    for (const auto& tokens : sessions) expect_dead(service, tokens, "after the change");
    expect_alive(service, bystander, "another user's");
    EXPECT_EQ(service.live_sessions(person), 0U);
}

TEST(SES_5, AChangeOfPasswordEndsOpenChallenges) {
    Service& service = suite_service();
    Person person = service.make_person();
    const auto tokens = service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    const Answer changed = service.patch(
        "/api/shared/user/change-password",
        {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}, {"backupCode", person.backup_codes[0]}},
        bearer(tokens.access));
    ASSERT_EQ(changed.status, 200U) << changed.body;
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).code_name(), "twoFactorChallengeInvalid");
}

TEST(SES_5, AnAdminsResetEndsAllSessionsAndChallenges) {
    Service& service = suite_service();
    Person person = service.make_person();
    const auto admin = service.tokens_of(service.make_person(Role::admin));
    const auto tokens = service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    const Answer reset =
        service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, bearer(admin.access));
    ASSERT_EQ(reset.status, 200U) << reset.body;
    expect_dead(service, tokens, "after the reset");
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).code_name(), "twoFactorChallengeInvalid");
    expect_alive(service, admin, "the admin's own");
}

TEST(SES_5, TwoFactorOnAndOffEndsTheOthersOnly) {
    Service& service = suite_service();
    Person person = service.make_person();
    auto sessions = sessions_of_all_kinds(service, person);
    const auto own = service.turn_two_factor_on(person);
    for (const auto& tokens : sessions) expect_dead(service, tokens, "others, after enabling");
    expect_alive(service, own, "the own one, after enabling");

    const Answer verified = service.verify(service.challenge_of(person), service.next_code(person));
    const TokenTexts other{verified.text("data.tokens.accessToken"), verified.text("data.tokens.refreshToken")};
    const std::string challenge = service.challenge_of(person);
    expect_alive(service, other, "a second session");
    const Answer disabled =
        service.erase("/api/shared/user/2fa/disable", {{"code", service.next_code(person)}}, bearer(own.access));
    ASSERT_EQ(disabled.status, 204U) << disabled.body;
    expect_dead(service, other, "others, after disabling");
    expect_alive(service, own, "the own one, after disabling");
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).code_name(), "twoFactorChallengeInvalid");
}

TEST(SES_5, AnInactiveAccountIsToldSoAndDoesNothing) {
    Service& service = suite_service();
    const auto chief = service.tokens_of(service.make_person(Role::super_admin));
    for (const char* status : {"inactive", "blocked"}) {
        Person person = service.make_person();
        const auto tokens = service.turn_two_factor_on(person);
        const std::string challenge = service.challenge_of(person);
        expect_alive(service, tokens, "before");
        const Answer changed = service.patch("/api/admin/user/update/" + person.id.text() + "/status",
                                             {{"status", status}}, bearer(chief.access));
        ASSERT_EQ(changed.status, 200U) << changed.body;

        expect_dead(service, tokens, status);
        EXPECT_EQ(service.live_sessions(person), 0U) << status;
        const Answer login = service.log_in(person);
        EXPECT_EQ(login.code_name(), "inactiveForbidden");
        EXPECT_FALSE(login.has("data")) << login.body;
        EXPECT_EQ(service.log_in(person.email, "Wrong-Harbor-42").code_name(), "passwordNotMatch")
            << "strangers are not told";
        const Answer verified = service.verify(challenge, service.next_code(person));
        EXPECT_EQ(verified.status / 100, 4U) << status;
        EXPECT_FALSE(verified.has("data")) << verified.body;
        EXPECT_EQ(service.live_sessions(person), 0U) << status;
    }
}

TEST(AUT_4, AnUnprovenAddressOrAnExpiredPasswordStopsTheNextRequest) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    const auto set = [&](const std::string& column, const std::string& value) {
        service.sql("UPDATE users SET " + column + " = " + value + " WHERE id = " + literal(person.id));
    };
    const auto expect_stopped = [&](const char* code) {
        EXPECT_EQ(status_with(service, tokens.access).status, 403U);
        EXPECT_EQ(status_with(service, tokens.access).code_name(), code);
        EXPECT_EQ(refresh_with(service, tokens.refresh).code_name(), code);
    };
    expect_alive(service, tokens, "before");
    set("is_verified", "FALSE");
    expect_stopped("emailNotVerified");
    set("is_verified", "TRUE");
    expect_alive(service, tokens, "proven again");
    set("password_expires_at", std::to_string(epoch_ms(service.clock().now()) + 1));
    expect_alive(service, tokens, "a millisecond before");
    service.clock().advance(milliseconds{1});
    expect_stopped("passwordExpired");
}

// The operator may remove a password in the database; its owner then logs in with Google or Apple.
TEST(AUT_4, APasswordThatAnAccountDoesNotHaveDoesNotExpire) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    service.sql("UPDATE users SET password_hash = NULL, password_expires_at = 1 WHERE id = " + literal(person.id));
    expect_alive(service, tokens, "without a password");
    EXPECT_FALSE(service.get("/api/shared/user/profile", bearer(tokens.access)).has("data.passwordExpired"));
}

TEST(SES_8, TheEleventhLoginEndsTheOldest) {
    Service& service = suite_service();
    const Person person = service.make_person();
    std::vector<TokenTexts> tokens;
    for (int i = 0; i < 11; ++i) {
        tokens.push_back(service.tokens_of(person));
        service.clock().advance(seconds{1});
    }
    expect_dead(service, tokens.front(), "the oldest");
    for (std::size_t i = 1; i < tokens.size(); ++i) expect_alive(service, tokens[i], std::to_string(i));
    EXPECT_EQ(service.live_sessions(person), 10U);
    EXPECT_EQ(service.sql("SELECT revoked_reason FROM sessions WHERE revoked_at IS NOT NULL AND user_id = " +
                          literal(person.id)),
              (std::vector<std::vector<std::string>>{{"bound"}}));
}

TEST(SES_8, ALoginNeverEndsItself) {
    // The clock stands still, so that all sessions begin in the same millisecond.
    Service& service = suite_service();
    const Person person = service.make_person();
    for (int i = 0; i < 30; ++i) expect_alive(service, service.tokens_of(person), std::to_string(i));
    EXPECT_EQ(service.live_sessions(person), 10U);
}

TEST(SES_8, AnAdministratorsIdleSessionsEndBeforeTheOneInUse) {
    Service& service = suite_service();
    const Person admin = service.make_person(Role::admin);
    TokenTexts in_use = service.tokens_of(admin);
    for (int i = 0; i < 10; ++i) {
        service.tokens_of(admin);
        for (const int minutes : {30, 35}) {
            service.clock().advance(std::chrono::minutes{minutes});
            const Answer refreshed = refresh_with(service, in_use.refresh);
            ASSERT_EQ(refreshed.status, 200U) << i << refreshed.body;
            in_use = {refreshed.text("data.accessToken"), refreshed.text("data.refreshToken")};
        }
    }
    EXPECT_LE(service.live_sessions(admin), 10U);
}

TEST(SES_8, TwoHundredParallelLoginsLeaveTen) {
    Service& service = suite_service();
    const Person person = service.make_person();
    // A login that waits too long for its password check is turned away (PWD-8), and tries again until it succeeds.
    const auto answers = at_once(200, [&](std::size_t) {
        Answer answer = service.log_in(person);
        for (int again = 0; again < 100 && answer.status == 503; ++again) answer = service.log_in(person);
        return answer;
    });
    EXPECT_EQ(statuses(answers), (std::map<unsigned, std::size_t>{{200, 200}}));
    EXPECT_EQ(service.live_sessions(person), 10U);
    std::size_t alive = 0;
    for (const Answer& answer : answers)
        alive += status_with(service, answer.text("data.tokens.accessToken")).status == 200 ? 1 : 0;
    EXPECT_EQ(alive, 10U);
}

TEST(Sessions, RememberNoMoreDevicesThanFifty) {
    Service service;
    const Person person = service.make_person();
    for (int i = 0; i < 60; ++i) {
        service.clock().advance(std::chrono::seconds{1});
        const json::object body{{"email", person.email},
                                {"password", person.password},
                                {"from", "website"},
                                {"device", {{"fingerprint", "device " + std::to_string(i)}}}};
        ASSERT_EQ(service.post("/api/user/login/credential", body).status, 200U);
    }
    EXPECT_EQ(service.sql("SELECT count(*) FROM known_devices")[0][0], "50");
}

}  // namespace
}  // namespace consentry::tests
