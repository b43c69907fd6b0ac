// Tests the traces of a journey: entries in the owner's activity log, written with the change itself, and entries in
// the stream of security events (LOG-4, TFA-15).

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

struct Watched {
    explicit Watched(Environment settings = {}) : service(std::move(settings)) {}

    // Restarts the service first, which writes the pending events.
    std::vector<json::object> events() {
        service.restart();
        return entries_in(service.folder() / "data" / "security" / "events.log");
    }
    std::vector<json::object> named(std::string_view name) {
        std::vector<json::object> out;
        for (json::object& event : events())
            if (std::string_view(event.at("event").as_string()) == name) out.push_back(std::move(event));
        return out;
    }
    // Returns the actions sorted by name, because entries of the same millisecond have no defined order; without the
    // creation by the operator, with which every account of a test begins.
    std::vector<std::string> activity(const Person& person) {
        std::vector<std::string> out;
        for (const auto& row :
             service.sql("SELECT action FROM activity_log WHERE action <> 'userCreated' AND user_id = '" +
                         person.id.text() + "' ORDER BY action"))
            out.push_back(row[0]);
        return out;
    }
    Service service;
};

TEST(LOG_4, EveryStepOfALoginIsTold) {
    Watched t;
    Person person = t.service.make_person();
    t.service.log_in(person.email, "Wrong-Harbor-42");
    t.service.log_in("nobody@example.org", "Wrong-Harbor-42");
    t.service.turn_two_factor_on(person);
    const std::string challenge = t.service.challenge_of(person);
    EXPECT_EQ(t.service.verify(challenge, "000000").status, 401U);
    EXPECT_EQ(t.service.verify_backup(challenge, person.backup_codes[0]).status, 200U);

    const auto logins = t.named("login.credential");
    ASSERT_EQ(logins.size(), 4U);
    EXPECT_EQ(logins[0].at("outcome"), "failure");
    EXPECT_EQ(std::string_view(logins[0].at("actor").as_string()), person.id.text());
    EXPECT_EQ(logins[0].at("detail").at("reason"), "passwordNotMatch");
    EXPECT_EQ(logins[0].at("source"), "127.0.0.1");
    EXPECT_TRUE(Uuid::parse(logins[0].at("requestId").as_string()));
    EXPECT_FALSE(logins[1].contains("actor")) << "nobody has this address";
    EXPECT_EQ(logins[2].at("detail").at("answer"), "tokens");
    EXPECT_EQ(logins[3].at("detail").at("answer"), "challenge");
    for (const json::object& login : logins) EXPECT_EQ(login.at("detail").at("method"), "password");
    const auto second = t.named("login.second_factor");
    ASSERT_EQ(second.size(), 2U);
    EXPECT_EQ(second[0].at("outcome"), "failure");
    EXPECT_EQ(second[0].at("detail").at("method"), "code");
    EXPECT_EQ(second[1].at("outcome"), "success");
    EXPECT_EQ(second[1].at("detail").at("method"), "backupCode");
    EXPECT_EQ(t.named("two_factor.backup_code_used").size(), 1U);
    EXPECT_EQ(t.named("two_factor.failed").size(), 1U);
    EXPECT_EQ(t.named("two_factor.enabled").size(), 1U);
    const std::vector<std::string> activity{"userEnableTwoFactor", "userLoginCredential", "userSetupTwoFactor",
                                            "userVerifyTwoFactor"};
    EXPECT_EQ(t.activity(person), activity);
}

TEST(LOG_4, AForcedSetUpIsAStepOfALogin) {
    Watched t;
    constexpr const char* enable_path = "/api/public/user/login/2fa/enable";
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(t.service.post(enable_path, {{"challengeToken", std::string(43, 'A')}, {"code", "000000"}}).status,
                  401U);
    Person person = t.service.make_person();
    const Person chief = t.service.make_person(Role::super_admin);
    t.service.turn_two_factor_on(person);
    ASSERT_EQ(t.service
                  .patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {},
                         bearer(t.service.tokens_of(chief).access))
                  .status,
              200U);
    const Answer forced = t.service.log_in(person);
    person.secret = forced.text("data.secret");
    const auto enable = [&](const std::string& code) {
        return t.service.post(enable_path, {{"challengeToken", forced.text("data.challengeToken")}, {"code", code}})
            .status;
    };
    for (int i = 0; i < 5; ++i) EXPECT_EQ(enable("000000"), 401U);
    EXPECT_EQ(enable("000000"), 429U);
    t.service.pass(std::chrono::seconds{240});
    EXPECT_EQ(enable(t.service.next_code(person)), 200U);

    const auto told = t.named("login.set_up");
    ASSERT_EQ(told.size(), 9U);
    for (std::size_t i = 0; i < told.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(told[i].at("detail").at("method"), "code");
        EXPECT_EQ(told[i].at("source"), "127.0.0.1");
        ASSERT_EQ(told[i].contains("actor"), i >= 2) << "an unknown challenge is nobody's";
        if (i >= 2) EXPECT_EQ(std::string_view(told[i].at("actor").as_string()), person.id.text());
        EXPECT_EQ(told[i].at("outcome"), i == 8 ? "success" : "failure");
    }
    EXPECT_EQ(told[0].at("detail").at("reason"), "twoFactorChallengeInvalid");
    EXPECT_EQ(told[2].at("detail").at("reason"), "twoFactorInvalid");
    EXPECT_EQ(told[7].at("detail").at("reason"), "twoFactorAttemptTemporaryLock");
}

TEST(LOG_4, AForcedSetUpThatHasEndedIsTold) {
    Watched t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    reset_two_factor(t.service, person);
    t.service.pass(std::chrono::days{7});
    EXPECT_EQ(t.service.log_in(person).status, 403U);
    const auto told = t.named("login.credential");
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back().at("outcome"), "failure");
    EXPECT_EQ(std::string_view(told.back().at("actor").as_string()), person.id.text());
    EXPECT_EQ(told.back().at("detail").at("reason"), "twoFactorSetupExpired");
}

TEST(LOG_4, AChallengeOfTheOtherKindOfSessionIsTold) {
    Watched t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    // The pages seal their challenges, so only the service itself can mix up the kinds.
    Origin seen;
    seen.kind = SessionKind::cookie;
    Proof proof;
    proof.code = t.service.next_code(person);
    Cause cause;
    cause.origin.emplace();
    const auto answer =
        run(t.service.app().services().login.verify(t.service.challenge_of(person), proof, seen, cause));
    ASSERT_FALSE(answer);
    const auto told = t.named("login.second_factor");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at("outcome"), "failure");
    EXPECT_EQ(std::string_view(told[0].at("actor").as_string()), person.id.text());
    EXPECT_EQ(told[0].at("detail").at("reason"), "twoFactorChallengeInvalid");
}

TEST(LOG_4, LocksAreTold) {
    Watched t;
    Person guessed = t.service.make_person();
    for (int i = 0; i < 7; ++i) t.service.log_in(guessed.email, "Wrong-Harbor-42");
    EXPECT_EQ(t.named("password.locked").size(), 1U);
    EXPECT_EQ(t.named("password.failed").size(), 5U) << "what is locked is not evaluated";
    Mailbox(t.service).wait_for(guessed.email, "passwordLocked");  // written after the answer
    EXPECT_EQ(t.activity(guessed), std::vector<std::string>{"userReachMaxPasswordAttempt"});

    Person careful = t.service.make_person();
    t.service.turn_two_factor_on(careful);
    const std::string challenge = t.service.challenge_of(careful);
    for (int i = 0; i < 6; ++i) t.service.verify(challenge, "000000");
    const auto locks = t.named("two_factor.locked");
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(std::string_view(locks[0].at("actor").as_string()), careful.id.text());
    EXPECT_EQ(locks[0].at("detail").at("attempt"), "5");
}

TEST(TFA_15, GuessingBetweenLoginsOfTheOwnerIsTold) {
    Watched t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    for (int round = 0; round < 6; ++round) {
        for (int n = 0; n < 2; ++n) t.service.verify(t.service.challenge_of(person), wrong_code(t.service, person, n));
        EXPECT_EQ(t.service.verify(t.service.challenge_of(person), t.service.next_code(person)).status, 200U);
    }
    const auto told = t.named("two_factor.guessing");
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(std::string_view(told[0].at("actor").as_string()), person.id.text());
    EXPECT_EQ(told[0].at("detail").at("attemptsInADay"), "3");
    EXPECT_EQ(told[1].at("detail").at("attemptsInADay"), "10");
    EXPECT_TRUE(t.named("two_factor.locked").empty());
}

TEST(TFA_15, ChangesOfTheSecondFactorAreOnRecord) {
    Watched t;
    Person person = t.service.make_person();
    const Person chief = t.service.make_person(Role::super_admin);
    auto tokens = t.service.turn_two_factor_on(person);
    t.service.post("/api/user/2fa/backup/regenerate", {}, bearer(tokens.access));
    EXPECT_EQ(t.service.erase("/api/user/2fa", {{"code", t.service.next_code(person)}}, bearer(tokens.access)).status,
              204U);
    t.service.pass(std::chrono::seconds{60});
    tokens = t.service.turn_two_factor_on(person);
    const auto by_chief = t.service.tokens_of(chief);
    EXPECT_EQ(t.service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, bearer(by_chief.access))
                  .status,
              200U);
    for (const auto& [name, count] : {std::pair{"two_factor.set_up", 2U},
                                      {"two_factor.enabled", 2U},
                                      {"two_factor.backup_codes_replaced", 1U},
                                      {"two_factor.disabled", 1U},
                                      {"two_factor.reset", 1U}})
        EXPECT_EQ(t.named(name).size(), count) << name;
    const auto reset = t.named("two_factor.reset").at(0);
    EXPECT_EQ(std::string_view(reset.at("actor").as_string()), chief.id.text());
    EXPECT_EQ(std::string_view(reset.at("target").as_string()), person.id.text());
    EXPECT_EQ(t.activity(person).front(), "adminUserResetTwoFactor");
}

TEST(LOG_4, SessionsAndPasswordsAreTold) {
    Watched t;
    const Person person = t.service.make_person();
    const auto first = t.service.tokens_of(person);
    EXPECT_EQ(t.service.post("/api/shared/user/refresh", {}, bearer(first.refresh)).status, 200U);
    t.service.pass(std::chrono::seconds{11});
    EXPECT_EQ(t.service.post("/api/shared/user/refresh", {}, bearer(first.refresh)).status, 401U);
    const auto second = t.service.tokens_of(person);
    EXPECT_EQ(t.service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(second.access))
                  .status,
              200U);
    const Answer login = t.service.log_in(person.email, "Copper-Meadow-77");
    EXPECT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(login.text("data.tokens.accessToken"))).status,
              200U);
    for (const char* name : {"session.refreshed", "session.reuse", "password.changed", "session.logout"})
        EXPECT_EQ(t.named(name).size(), 1U) << name;
    const std::vector<std::string> activity{"userChangePassword", "userLoginCredential", "userLoginCredential",
                                            "userLoginCredential", "userLogout"};
    EXPECT_EQ(t.activity(person), activity);
}

TEST(SES_8, TheEndOfTheOldestSessionIsTold) {
    Watched t;
    const Person person = t.service.make_person();
    for (int i = 0; i < 11; ++i) {
        t.service.tokens_of(person);
        t.service.pass(std::chrono::seconds{1});
    }
    const auto ended = [&] {
        return t.service.sql(
            "SELECT id, revoked_reason FROM sessions WHERE revoked_at IS NOT NULL ORDER BY revoked_at");
    };
    ASSERT_EQ(ended().size(), 1U);
    const json::object on_phone{{"email", person.email},
                                {"password", person.password},
                                {"from", "mobile"},
                                {"device", {{"fingerprint", "phone"}}}};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(t.service.post("/api/user/login/credential", on_phone).status, 200U);
        t.service.pass(std::chrono::seconds{1});
    }
    const auto rows = ended();
    ASSERT_EQ(rows.size(), 3U) << "the oldest, the next oldest for the phone, and the phone's first";
    const auto told = t.named("session.revoked");
    ASSERT_EQ(told.size(), 3U);
    for (std::size_t i = 0; i < told.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(std::string_view(told[i].at("detail").at("session").as_string()), rows[i][0]);
        EXPECT_EQ(std::string_view(told[i].at("detail").at("reason").as_string()), rows[i][1]);
        EXPECT_EQ(told[i].at("detail").at("reason"), i == 2 ? "device" : "bound");
        EXPECT_EQ(std::string_view(told[i].at("actor").as_string()), person.id.text());
        EXPECT_EQ(told[i].at("source"), "127.0.0.1");
        EXPECT_TRUE(Uuid::parse(told[i].at("requestId").as_string()));
    }
}

TEST(SES_8, TheEndOfTheOldestSessionIsToldAfterASecondFactorToo) {
    Watched t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(t.service.verify(t.service.challenge_of(person), t.service.next_code(person)).status, 200U);
    const auto told = t.named("session.revoked");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at("detail").at("reason"), "bound");
}

TEST(LOG_4, RefusalsAndChangesByAdministratorsAreTold) {
    Watched t;
    const Person person = t.service.make_person();
    const Person chief = t.service.make_person(Role::super_admin);
    const auto tokens = t.service.tokens_of(person);
    const auto by_chief = t.service.tokens_of(chief);
    EXPECT_EQ(t.service.get("/api/admin/role/list", bearer(tokens.access)).status, 403U);
    EXPECT_EQ(t.service.get("/api/shared/user/session/list", bearer("garbage")).status, 401U);
    EXPECT_EQ(t.service.get("/api/hello", {{"x-api-key", "a:b"}}).status, 403U);
    EXPECT_EQ(
        t.service
                .post("/api/admin/role/create", {{"name", "support"}, {"type", "admin"}, {"abilities", json::array{}}},
                      bearer(by_chief.access))
                .status /
            100,
        2U);
    const std::string absent = "/api/admin/api-key/update/01890000-0000-7000-8000-000000000000/reset";
    EXPECT_EQ(t.service.patch(absent, {}, bearer(by_chief.access)).number("statusCode"), 5107);
    const auto refused = t.named("authorization.refused");
    ASSERT_EQ(refused.size(), 3U) << "an ID without a key is no question of rights";
    EXPECT_EQ(std::string_view(refused[0].at("actor").as_string()), person.id.text());
    EXPECT_EQ(refused[0].at("detail").at("reason"), "forbidden");
    EXPECT_EQ(refused[1].at("detail").at("operation"), "listSessions");
    EXPECT_EQ(refused[2].at("detail").at("reason"), "xApiKeyNotFound");
    const auto changes = t.named("admin.change");
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(std::string_view(changes[0].at("actor").as_string()), chief.id.text());
    EXPECT_EQ(changes[0].at("detail").at("operation"), "createRole");
}

// These operations ask for a role in their handlers, not by their guards.
TEST(LOG_4, ARoleThatIsMissingBehindAProxyOrForADeletionIsTold) {
    Watched t({{"PUBLIC_URL", "https://accounts.example.com"},
               {"FORWARD_AUTH_HOSTS", "app.example.com"},
               {"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    const Person person = t.service.make_person();
    const Person chief = t.service.make_person(Role::admin);
    const std::string token = t.service.tokens_of(person).access;
    Headers with_roles = bearer(token);
    with_roles.emplace_back("X-Required-Roles", "admin");
    EXPECT_EQ(t.service.get("/api/forward-auth?roles=user", bearer(token)).status, 200U);
    EXPECT_EQ(t.service.get("/api/forward-auth?roles=admin", bearer(token)).number("statusCode"), 5063);
    EXPECT_EQ(t.service.get("/api/forward-auth/orders", with_roles).number("statusCode"), 5063);
    // Some proxies then ask for the page that says so. The refusal has been told.
    EXPECT_EQ(HttpClient(t.service.port())
                  .get("/.consentry/forbidden", {{"X-Forwarded-Host", "app.example.com"},
                                                 {"X-Forwarded-Proto", "https"},
                                                 {"Sec-Fetch-Mode", "navigate"},
                                                 {"Accept", "text/html"}})
                  .status,
              403U);
    EXPECT_EQ(t.service.erase("/api/shared/user/delete/self", {}, bearer(t.service.tokens_of(chief).access))
                  .number("statusCode"),
              5063);

    const auto refused = t.named("authorization.refused");
    ASSERT_EQ(refused.size(), 3U);
    const std::array operations{"forwardAuth", "forwardAuthByPath", "deleteSelf"};
    for (std::size_t i = 0; i < refused.size(); ++i) {
        SCOPED_TRACE(operations[i]);
        EXPECT_EQ(refused[i].at("outcome"), "refused");
        EXPECT_EQ(std::string_view(refused[i].at("actor").as_string()), (i == 2 ? chief : person).id.text());
        EXPECT_EQ(refused[i].at("detail").at("operation"), operations[i]);
        EXPECT_EQ(refused[i].at("detail").at("reason"), "forbidden");
    }
}

TEST(LOG_4, ChangesByTheOperatorAreTold) {
    Watched t;
    const Person person = t.service.make_person();
    Administration& administration = t.service.app().services().administration;
    const Administrator by{.actor = Actor::operator_at_the_machine(), .cause = {}};
    ASSERT_TRUE(run(administration.set_role(by, person.id, built_in_role(Role::admin))));
    ASSERT_TRUE(run(administration.set_status(by, person.id, UserStatus::blocked)));
    ASSERT_TRUE(run(administration.set_status(by, person.id, UserStatus::active)));
    ASSERT_TRUE(run(administration.set_status(by, person.id, UserStatus::active)));  // changes nothing
    ASSERT_TRUE(run(administration.unlock(by, person.id)));
    const auto statuses = t.named("account.status_changed");
    ASSERT_EQ(statuses.size(), 2U);
    EXPECT_FALSE(statuses[0].contains("actor")) << "the operator";
    EXPECT_EQ(std::string_view(statuses[0].at("target").as_string()), person.id.text());
    EXPECT_EQ(statuses[0].at("detail").at("from"), "active");
    EXPECT_EQ(statuses[0].at("detail").at("to"), "blocked");
    EXPECT_EQ(t.named("account.role_changed").size(), 1U);
    EXPECT_EQ(t.named("account.unlocked").size(), 1U);
}

TEST(LOG_4, WhatChangesNothingIsNoChange) {
    Watched t;
    const PolicyDesk desk(t.service);
    const std::string chief = t.service.tokens_of(t.service.make_person(Role::super_admin)).access;
    const std::string policy = desk.draft("marketing", 1, texts_in({"en"}));
    const auto send = [&](std::string_view method, const std::string& path, const std::string& body = {}) {
        Headers headers = bearer(chief);
        if (!body.empty()) headers.emplace_back("Content-Type", "text/csv");
        EXPECT_EQ(t.service.call(method, "/api/admin/" + path, body, headers).status / 100, 2U) << path;
    };
    const std::string table = "email\nada@example.org\n";
    send("POST", "user/import?dryRun=true", table);
    send("POST", "term-policy/get/" + policy + "/content/en");
    send("GET", "user/list");
    send("POST", "user/export");
    send("GET", "consent/export");
    send("POST", "user/import?dryRun=false", table);
    const auto operations = [&](std::string_view event) {
        std::vector<std::string> out;
        for (const json::object& one : t.named(event)) {
            const bool is_chiefs = one.at("detail").at("operation") != "presignTermPolicyContent" &&
                                   one.at("detail").at("operation") != "createTermPolicy";
            if (is_chiefs) out.emplace_back(one.at("detail").at("operation").as_string());
        }
        return out;
    };
    EXPECT_EQ(operations("admin.change"), std::vector<std::string>{"importUsers"});
    EXPECT_EQ(operations("admin.export"), (std::vector<std::string>{"exportUsers", "exportConsentLog"}));
}

TEST(LOG_4, AnExportThatBreaksOffIsToldAsAFailure) {
    Watched t;
    const std::string chief = t.service.tokens_of(t.service.make_person(Role::super_admin)).access;
    Headers headers = bearer(chief);
    headers.emplace_back("Content-Type", "text/csv");
    std::string table = "email\n";
    for (int i = 0; i < 600; ++i) table += "person" + std::to_string(i) + "@example.com\n";  // more than one piece
    t.service.pass(std::chrono::seconds{1});
    ASSERT_EQ(t.service.call("POST", "/api/admin/user/import", table, headers).status / 100, 2U);
    t.service.pass(std::chrono::seconds{1});
    const Person last = t.service.make_person();
    t.service.sql("UPDATE users SET language = 'unreadable' WHERE id = '" + last.id.text() + "'");
    EXPECT_THROW(t.service.post("/api/admin/user/export", {}, bearer(chief)), std::exception);
    const auto told = t.named("admin.export");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at("outcome"), "failure");
    EXPECT_EQ(told[0].at("detail").at("operation"), "exportUsers");
}

TEST(LOG_4, AStrangerDoesNotFillTheStream) {
    Watched t;
    for (int minute = 0; minute < 2; ++minute) {
        for (int i = 0; i < 80; ++i)
            EXPECT_EQ(t.service.get("/api/shared/user/session/list", bearer("garbage")).status, 401U);
        t.service.pass(std::chrono::minutes{1});
    }
    EXPECT_EQ(t.named("authorization.refused").size(), 60U);
    const auto counted = t.named("securityEvents.suppressed");
    ASSERT_EQ(counted.size(), 1U);
    EXPECT_EQ(counted[0].at("detail").at("event"), "authorization.refused");
    EXPECT_EQ(counted[0].at("detail").at("suppressed"), "100");
    EXPECT_EQ(counted[0].at("detail").at("told"), "60");
}

TEST(LOG_4, ABurstOfNonsenseIsToldOnce) {
    Watched t;
    for (int i = 0; i < 60; ++i)
        EXPECT_EQ(t.service.post("/api/public/user/login/credential", {{"email", i}}).status, 422U);
    EXPECT_EQ(t.named("client.nonsense").size(), 1U);
}

TEST(STO_2, AnEntryOfTheActivityLogIsThereWithItsChangeOrNeither) {
    Watched t;
    const Person person = t.service.make_person();
    t.service.break_writes("INSERT ON activity_log");
    EXPECT_EQ(t.service.log_in(person).status, 503U);
    EXPECT_EQ(t.service.sql("SELECT count(*) FROM sessions").at(0).at(0), "0");
    t.service.mend_writes();
    const auto tokens = t.service.tokens_of(person);
    t.service.break_writes("INSERT ON activity_log");
    EXPECT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 503U);
    t.service.mend_writes();
    EXPECT_EQ(t.service.get("/api/shared/user/session/list", bearer(tokens.access)).status, 200U) << "nothing was done";
}

}  // namespace
}  // namespace consentry::tests
