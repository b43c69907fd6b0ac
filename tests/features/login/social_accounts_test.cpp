// SOC-2, SOC-3, SOC-6: tests to which account a login with an identity leads.
#include <map>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "features/sessions/epochs.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/identity_provider.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/run.hpp"
#include "tests/support/security_events.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

constexpr const char* ada = "ada@example.org";

struct AccountWorld {
    IdentityProviders providers;
    // No mail server takes the mails, so they stay in the table and can be counted.
    Service service{providers.settings({{"MAIL_URL", "smtp://127.0.0.1:9"}})};

    Answer log_in(const std::string& provider, const std::string& subject, const std::string& email,
                  const json::object& more = {}) {
        service.clock().advance(seconds{1});  // makes every token unique
        return log_in_with(service, provider, providers.token(service, provider, subject, email), more);
    }
    // Logs in with the claims of a valid token, changed as given. A null removes a claim.
    Answer log_in_claiming(const std::string& subject, const std::string& email, const json::object& changes) {
        service.clock().advance(seconds{1});
        json::object claims = providers.claims(service, google, subject, email);
        for (const auto& [name, value] : changes) {
            claims[name] = value;
            if (value.is_null()) claims.erase(name);
        }
        return log_in_with(service, google, providers.token({{"claims", claims}}));
    }
    // Returns simultaneous logins of one identity, each with its own token.
    std::vector<Call> logins(int count, const std::string& subject, const std::string& email) {
        std::vector<Call> out;
        for (int i = 0; i < count; ++i) {
            json::object claims = providers.claims(service, google, subject, email);
            claims["jti"] = i;
            out.push_back({.path = "/api/public/user/login/social/google",
                           .body = {{"from", "website"}},
                           .headers = bearer(providers.token({{"claims", claims}}))});
        }
        return out;
    }
    std::string one(const std::string& select) const { return service.sql("SELECT " + select)[0][0]; }
    std::string rows(const std::string& table) const { return one("count(*) FROM " + table); }
    // Counts the rows in every table in which a refused login might leave a trace.
    std::string traces() const {
        return rows("users") + " " + rows("identities") + " " + rows("sessions") + " " + rows("mails") + " " +
               rows("activity_log") + " " + rows("spent_identity_tokens");
    }
    bool unlink(const Person& person, SocialProvider provider) {
        auto& accounts = service.app().services().social_accounts;
        return run(accounts.unlink(Actor::operator_at_the_machine(), person.id, provider, {})).value();
    }
    std::string user_of(const Answer& answer) {
        return service.get("/api/shared/user/session/list", bearer(answer.text("data.tokens.accessToken"))).status ==
                       200U
                   ? one("user_id FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1")
                   : std::string();
    }
    std::string count_of(const std::string& action) const {
        return one("count(*) FROM activity_log WHERE action = '" + action + "'");
    }
    std::string mails_of(const std::string& kind) const {
        return one("count(*) FROM mails WHERE kind = '" + kind + "'");
    }
};

// Everything that ends grants locks the account first; the other order could deadlock beside it.
TEST(SOC_2, ALoginLocksTheAccountBeforeItsIdentity) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    AccountWorld world;
    world.service.sql(
        "CREATE FUNCTION account_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF (SELECT xmin::text FROM users WHERE id = NEW.user_id) <> pg_current_xact_id()::xid::text THEN "
        "RAISE EXCEPTION 'the identity came first'; END IF; RETURN NEW; END $$; "
        "CREATE TRIGGER account_first BEFORE INSERT OR UPDATE ON identities FOR EACH ROW EXECUTE FUNCTION "
        "account_first()");
    Person person = world.service.make_person();
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 200U) << "joins";
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 200U);
    world.service.turn_two_factor_on(person);
    const std::string challenge = world.log_in(google, "s-1", person.email).text("data.challengeToken");
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(person)).status, 200U);
}

TEST(SOC_2, TheSubjectIsTheAccountWhateverItsAddress) {
    AccountWorld world;
    const std::string user = world.user_of(world.log_in(google, "s-1", ada));
    EXPECT_EQ(world.user_of(world.log_in(google, "s-1", "new@example.org")), user) << "the provider's address changed";
    EXPECT_EQ(world.one("email FROM users"), ada);
    EXPECT_EQ(world.one("email FROM identities"), "new@example.org");
    EXPECT_EQ(world.user_of(world.log_in_claiming("s-1", ada, {{"email", nullptr}, {"email_verified", nullptr}})),
              user);
    EXPECT_EQ(world.user_of(world.log_in_claiming("s-1", ada, {{"email_verified", false}})), user);
    EXPECT_EQ(world.user_of(world.log_in_claiming("s-1", ada, {{"email", "not an address"}})), user);
    EXPECT_EQ(world.rows("users"), "1");
    EXPECT_EQ(world.rows("identities"), "1");
}

TEST(SOC_2, AnAddressGivenToSomebodyElseLeadsToNoAccount) {
    AccountWorld world;
    EXPECT_EQ(world.log_in(google, "s-1", ada).status, 200U);
    const std::string sessions = world.rows("sessions");
    const Answer answer = world.log_in(google, "s-2", ada);
    EXPECT_EQ(answer.status, 401U);
    EXPECT_EQ(answer.code_name(), "socialGoogleInvalid");
    EXPECT_EQ(world.rows("sessions"), sessions);
    EXPECT_EQ(world.rows("users"), "1");
    EXPECT_EQ(world.one("subject FROM identities"), "s-1");
    // Addresses are compared in lower case.
    EXPECT_EQ(world.log_in(google, "s-2", "ADA@Example.org").status, 401U);
}

TEST(SOC_2, TheSameSubjectAtAnotherProviderIsSomebodyElse) {
    AccountWorld world;
    const std::string user = world.user_of(world.log_in(google, "s-1", ada));
    EXPECT_NE(world.user_of(world.log_in(apple, "s-1", "eve@example.org")), user);
    EXPECT_EQ(world.rows("users"), "2");
    // Identities of two providers that have both verified the same address share one account.
    EXPECT_EQ(world.user_of(world.log_in(apple, "s-9", ada)), user);
    EXPECT_EQ(world.rows("users"), "2");
    EXPECT_EQ(world.one("count(*) FROM identities WHERE user_id = '" + user + "'"), "2");
    EXPECT_EQ(world.count_of("userJoinApple"), "1");
}

TEST(SOC_3, AVerifiedAccountIsJoinedAndGoesOn) {
    AccountWorld world;
    const Person person = world.service.make_person();
    const TokenTexts tokens = world.service.tokens_of(person);
    const Answer answer = world.log_in(google, "s-1", person.email, {{"name", "Somebody else"}});
    EXPECT_EQ(world.user_of(answer), person.id.text());
    EXPECT_EQ(answer.text("message"), "Your Google account was accepted.");
    EXPECT_EQ(world.count_of("userJoinGoogle"), "1");
    EXPECT_EQ(world.count_of("userLoginGoogle"), "1");
    EXPECT_EQ(world.mails_of("identityJoined"), "1");
    EXPECT_EQ(world.one("login_with FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1"), "socialGoogle");
    EXPECT_EQ(world.one("last_login_with FROM users"), "socialGoogle");
    EXPECT_EQ(world.one("name FROM users"), "") << "it is the owner's to change";
    EXPECT_EQ(world.service.get("/api/shared/user/session/list", bearer(tokens.access)).status, 200U);
    EXPECT_EQ(world.service.log_in(person).status, 200U);
    // The identity is known from now on.
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 200U);
    EXPECT_EQ(world.count_of("userJoinGoogle"), "1");
    EXPECT_EQ(world.mails_of("identityJoined"), "1");
    EXPECT_EQ(world.mails_of("welcome"), "0");
}

TEST(SOC_3, TheMailAboutAJoinNamesTheProviderAsPeopleKnowIt) {
    IdentityProviders providers;
    Service service(providers.settings());
    const Person person = service.make_person();
    std::size_t nth = 0;
    for (const auto& [provider, name] : {std::pair{google, "Google"}, std::pair{apple, "Apple"}}) {
        service.pass(seconds{1});  // mails are in the order of their times
        const Answer answer = log_in_with(service, provider, providers.token(service, provider, "s-1", person.email));
        ASSERT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(Mailbox(service).wait_for(person.email, "identityJoined", nth++).subject,
                  std::string(name) + " is now linked to your account");
    }
}

TEST(SOC_3, TheProvidersWordIsTrueInOneOfItsTwoForms) {
    AccountWorld world;
    int subject = 0;
    const auto claim = [&](const std::string& email, const json::value& word, bool is_absent = false) {
        json::object changes{{"email_verified", is_absent ? json::value(nullptr) : word}};
        return world.log_in_claiming("s-" + std::to_string(++subject), email, changes);
    };
    for (const json::value& word : json::array{true, "true"}) {
        const Person person = world.service.make_person();
        EXPECT_EQ(claim(person.email, false).status, 401U) << "the same account, without the word";
        EXPECT_EQ(claim(person.email, 0).status, 401U);
        EXPECT_EQ(claim(person.email, {}, true).status, 401U) << "absent";
        EXPECT_EQ(world.one("count(*) FROM identities WHERE user_id = '" + person.id.text() + "'"), "0");
        EXPECT_EQ(world.user_of(claim(person.email, word)), person.id.text()) << word;
        EXPECT_EQ(world.one("count(*) FROM identities WHERE user_id = '" + person.id.text() + "'"), "1") << word;
    }
}

TEST(SOC_3, ASecondAccountOfAProviderIsNotJoined) {
    AccountWorld world;
    const Person person = world.service.make_person();
    EXPECT_EQ(world.user_of(world.log_in(google, "s-1", person.email)), person.id.text());
    const std::string before = world.traces();
    for (const json::value& word : json::array{true, "true"}) {
        const Answer second = world.log_in_claiming("s-2", person.email, {{"email_verified", word}});
        EXPECT_EQ(second.status, 401U) << second.body;
        EXPECT_EQ(second.code_name(), "socialGoogleInvalid");
    }
    EXPECT_EQ(world.traces(), before) << "and nothing is left of it";
    EXPECT_EQ(world.one("subject FROM identities"), "s-1");
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 200U) << "the first one goes on";
    // An account takes one identity per provider: one from Apple joins the one from Google, but a second one from Apple
    // is refused.
    EXPECT_EQ(world.user_of(world.log_in(apple, "a-1", person.email)), person.id.text());
    EXPECT_EQ(world.log_in(apple, "a-2", person.email).code_name(), "socialAppleInvalid");
    EXPECT_EQ(world.rows("identities"), "2");
    EXPECT_EQ(world.rows("users"), "1");
}

TEST(SOC_3, WithoutTheProvidersWordForTheAddressNothingIsJoinedOrMade) {
    AccountWorld world;
    const Person verified = world.service.make_person();
    const Person unverified = world.service.make_person();
    world.service.sql("UPDATE users SET is_verified = FALSE WHERE id = '" + unverified.id.text() + "'");
    const std::string before = world.traces();
    const json::array words{nullptr, false, 0,  1,       "false",           "TRUE",        "True",
                            "yes",   "1",   "", " true", json::array{true}, json::object{}};
    for (const json::value& word : words)
        for (const std::string& email : {verified.email, unverified.email, std::string("nobody@example.org")}) {
            const Answer answer = world.log_in_claiming("s-1", email, {{"email_verified", word}});
            EXPECT_EQ(answer.status, 401U) << word << " " << email;
            EXPECT_EQ(answer.code_name(), "socialGoogleInvalid");
        }
    int subject = 1;  // each case has its own subject, because an accepted one would be known to the next cases
    for (const json::value& email : json::array{
             nullptr, 7, "", "ada", "ada@", "a@b@example.org", "ada@example", "ädä@example.org", "ada@exa mple.org",
             "ada@exa\u200Bmple.org", "ada@xn--.org", json::array{ada}, std::string(250, 'a') + "@example.org"})
        EXPECT_EQ(world.log_in_claiming("s-" + std::to_string(++subject), ada, {{"email", email}}).status, 401U)
            << email;
    EXPECT_EQ(world.traces(), before);
}

TEST(SOC_3, AnAddressThatOnlyLooksTheSameIsSomebodyElses) {
    AccountWorld world;
    const std::string user = world.user_of(world.log_in(google, "s-1", ada));
    // The domain contains a Cyrillic letter.
    const std::string other = world.user_of(world.log_in(google, "s-2", "ada@exаmple.org"));
    EXPECT_FALSE(other.empty());
    EXPECT_NE(other, user);
    EXPECT_EQ(world.one("count(*) FROM identities WHERE user_id = '" + user + "'"), "1");
    EXPECT_TRUE(world.one("email FROM users WHERE id = '" + other + "'").starts_with("ada@xn--"));
}

TEST(SOC_3, WhoeverRegisteredTheAddressBeforeItsOwnerIsOut) {
    AccountWorld world;
    const Person squatter = world.service.make_person();
    const std::string id = "'" + squatter.id.text() + "'";
    const TokenTexts tokens = world.service.tokens_of(squatter);
    world.service.sql("UPDATE users SET is_verified = FALSE, sign_up_from = 'website', name = 'Squatter' WHERE id = " +
                      id);
    world.service.sql(
        "INSERT INTO account_tokens (user_id, purpose, digest, email, reference, created_at, expires_at) "
        "VALUES (" +
        id + ", 'verifyEmail', " + world.service.literal(as_bytes("digest")) + ", 'x', 'VER-1', 0, 9000000000000)");

    const Answer answer = world.log_in(google, "s-1", squatter.email);
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(world.user_of(answer), squatter.id.text());
    EXPECT_EQ(world.one("count(*) FROM users WHERE name = 'Squatter'"), "0");
    EXPECT_EQ(world.service.log_in(squatter).code_name(), "passwordNotMatch");
    EXPECT_EQ(world.service.get("/api/shared/user/session/list", bearer(tokens.access)).status, 401U);
    EXPECT_EQ(world.service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 401U);
    EXPECT_EQ(world.rows("account_tokens"), "0");
    EXPECT_EQ(world.rows("password_history"), "1") << "nor may the owner choose it again";
    EXPECT_EQ(world.one("count(*) FROM users WHERE password_hash IS NULL AND is_verified = TRUE"), "1");
    EXPECT_EQ(world.count_of("userVerifiedEmail"), "1");
    EXPECT_EQ(world.count_of("userJoinGoogle"), "1");
    EXPECT_EQ(world.mails_of("identityJoined"), "1");
}

// Strangers sign up. An import made these accounts.
TEST(SOC_3, AnImportedAccountKeepsItsNameAndLanguageWhenItsOwnerComesWithGoogle) {
    AccountWorld world;
    const Service& service = world.service;
    Headers headers = bearer(world.service.tokens_of(world.service.make_person(Role::super_admin)).access);
    headers.emplace_back("Content-Type", "text/csv");
    ASSERT_EQ(service
                  .call("POST", "/api/admin/user/import",
                        "email;name;language\r\nada@example.org;Ada;de\r\nbob@example.org;Bob;fr\r\n", headers)
                  .status,
              200U);
    service.sql("UPDATE users SET sign_up_from = 'system' WHERE email = 'bob@example.org'");  // by the operator
    ASSERT_EQ(sign_up(service, "eve@example.org").status, 201U);
    service.sql("UPDATE users SET name = 'Eve', language = 'ja' WHERE email = 'eve@example.org'");
    for (const std::string who : {"ada", "bob", "eve"})
        ASSERT_EQ(world.log_in(google, "s-" + who, who + "@example.org").status, 200U) << who;

    EXPECT_EQ(service.sql("SELECT email, name, language FROM users WHERE role = 'user' ORDER BY email"),
              (std::vector<std::vector<std::string>>{
                  {"ada@example.org", "Ada", "de"}, {"bob@example.org", "Bob", "fr"}, {"eve@example.org", "", "en"}}));
    EXPECT_EQ(world.count_of("userVerifiedEmail"), "3");
    // Events keep their order.
    const std::string eve = world.one("id FROM users WHERE email = 'eve@example.org'");
    ASSERT_TRUE(eventually([&] { return accounts_of_event(service, "account.taken_over").contains(eve); }));
    EXPECT_EQ(accounts_of_event(service, "account.taken_over").size(), 1U) << "the account that a person signed up for";
}

TEST(SOC_3, WhatAFormerHolderAcceptedIsNotTheOwnersConsent) {
    AccountWorld world;
    for (const std::string& type : all_types) publish(world.service, type, 1);
    const Person squatter = world.service.make_person();
    const std::string before = world.service.tokens_of(squatter).access;
    for (const char* type : {"termsOfService", "privacy", "cookies"})
        ASSERT_EQ(accept(world.service, before, type).status, 200U);
    world.service.sql("UPDATE users SET is_verified = FALSE WHERE id = '" + squatter.id.text() + "'");

    const Answer answer = world.log_in(google, "s-1", squatter.email, {{"privacy", true}});
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(flags(world.service, answer.text("data.tokens.accessToken")), "0100") << "what they agree to themselves";
    EXPECT_EQ(history(world.service, squatter),
              "cookies 1 accepted, cookies 1 withdrawn, privacy 1 accepted, privacy 1 withdrawn, privacy 1 accepted, "
              "termsOfService 1 accepted, termsOfService 1 withdrawn");
    // A login to an account that already belongs to the user neither withdraws nor accepts anything.
    const Answer again = world.log_in(google, "s-1", squatter.email, {{"marketing", true}});
    EXPECT_EQ(flags(world.service, again.text("data.tokens.accessToken")), "0100");
}

// The log takes in what waits in the order of its times, and a withdrawal that came last would be the end of a consent.
TEST(SOC_3, TheLogTakesInTheWithdrawalsOfATakeOverBeforeTheAcceptances) {
    AccountWorld world;
    for (const std::string& type : all_types) publish(world.service, type, 1);
    const Person squatter = world.service.make_person();
    const std::string before = world.service.tokens_of(squatter).access;
    for (const std::string& type : all_types) ASSERT_EQ(accept(world.service, before, type).status, 200U);
    world.service.sql("UPDATE users SET is_verified = FALSE");
    // None of a clock that is some milliseconds ahead comes in between either.
    world.service.sql("UPDATE term_policy_acceptances SET accepted_at = accepted_at + 1500 WHERE type = 'cookies'");

    const Answer answer =
        world.log_in(google, "s-1", squatter.email,
                     {{"termsOfService", true}, {"privacy", true}, {"marketing", true}, {"cookies", true}});
    ASSERT_EQ(answer.status, 200U) << answer.body;
    world.service.work();
    std::map<std::string, std::string> logged;
    for (const auto& row : world.service.sql("SELECT a.type, a.action FROM term_policy_acceptances a JOIN log_entries "
                                             "e ON e.id = a.id ORDER BY e.position"))
        logged[row[0]] += row[1] + " ";
    EXPECT_EQ(logged.size(), all_types.size());
    for (const auto& [type, actions] : logged) EXPECT_EQ(actions, "accepted withdrawn accepted ") << type;
    const Answer list = world.service.get("/api/user/term-policy/list/accepted?perPage=12",
                                          bearer(answer.text("data.tokens.accessToken")));
    ASSERT_EQ(list.status, 200U) << list.body;
    std::map<json::string, json::string> newest;
    for (const json::value& one : list.json.at("data").as_array())
        newest.emplace(one.at("termPolicy").at("type").as_string(), one.at("action").as_string());
    for (const std::string& type : all_types) EXPECT_EQ(newest[json::string(type)], "accepted") << type;
}

TEST(SOC_3, ASecondFactorOfAStrangerGoesWithTheStranger) {
    AccountWorld world;
    Person squatter = world.service.make_person();
    world.service.turn_two_factor_on(squatter);
    const std::string challenge = world.service.challenge_of(squatter);
    world.service.sql("UPDATE users SET is_verified = FALSE");
    const Answer answer = world.log_in(google, "s-1", squatter.email);
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(world.user_of(answer), squatter.id.text());
    EXPECT_EQ(world.rows("two_factors"), "0");
    EXPECT_EQ(world.rows("backup_codes"), "0");
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(squatter)).code_name(),
              "twoFactorChallengeInvalid");
    EXPECT_EQ(world.service.log_in(squatter).code_name(), "passwordNotMatch");
}

// An import by an earlier version could leave this state: an unverified address with a stranger's identity.
TEST(SOC_3, AnIdentityOfAFormerHolderIsOutOnceTheOwnerProvesTheAddress) {
    for (const bool same_provider : {false, true}) {
        AccountWorld world;
        const Person person = world.service.make_person();
        world.service.sql("UPDATE users SET is_verified = FALSE, password_hash = NULL");
        world.service.sql(
            "INSERT INTO identities (provider, subject, user_id, email, created_at) VALUES ('google', "
            "'former', '" +
            person.id.text() + "', 'former@example.org', 0)");
        EXPECT_EQ(world.log_in(google, "former", "former@example.org").code_name(), "emailNotVerified");
        const Answer owner = world.log_in(same_provider ? google : apple, "owner", person.email);
        ASSERT_EQ(owner.status, 200U) << owner.body;
        EXPECT_EQ(world.user_of(owner), person.id.text());
        const Answer former = world.log_in_claiming("former", "former@example.org", {{"email_verified", false}});
        EXPECT_EQ(former.status, 401U) << former.body;
        // With a verified address of their own, the former holder gets another account.
        EXPECT_NE(world.user_of(world.log_in(google, "former", "former@example.org")), person.id.text());
        EXPECT_EQ(world.log_in(same_provider ? google : apple, "owner", person.email).status, 200U);
    }
}

// A change that raises the version must carry the identities over explicitly, or they no longer log in.
TEST(SOC_3, AnIdentityOfAFormerGenerationOpensNothing) {
    AccountWorld world;
    const std::string user = world.user_of(world.log_in(google, "s-1", ada));
    world.service.sql("UPDATE users SET security_version = security_version + 1");
    EXPECT_EQ(world.log_in_claiming("s-1", ada, {{"email_verified", false}}).status, 401U);
    // With an address that the provider vouches for, the identity can join again.
    EXPECT_EQ(world.user_of(world.log_in(google, "s-1", ada)), user);
    EXPECT_EQ(world.rows("identities"), "1");
    EXPECT_EQ(world.log_in_claiming("s-1", ada, {{"email_verified", false}}).status, 200U);
}

TEST(SOC_3, AnIdentityOutlivesTheChangesThatAreNotAboutIt) {
    AccountWorld world;
    const Person person = world.service.make_person();
    const TokenTexts admin = world.service.tokens_of(world.service.make_person(Role::admin));
    ASSERT_EQ(world.log_in(google, "s-1", person.email).status, 200U);
    const auto still = [&](const char* after) {
        EXPECT_EQ(world.log_in_claiming("s-1", person.email, {{"email_verified", false}}).status, 200U) << after;
    };
    const std::string path = "/api/admin/user/update/" + person.id.text() + "/status";
    for (const char* status : {"inactive", "active"})
        EXPECT_EQ(world.service.patch(path, {{"status", status}}, bearer(admin.access)).status, 200U);
    still("the account was switched off and on");
    EXPECT_EQ(world.service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}},
                         bearer(world.service.tokens_of(person).access))
                  .status,
              200U);
    still("the password was changed");
    Person now = person;
    now.password = "Copper-Meadow-77";
    world.service.turn_two_factor_on(now);
    still("two-factor was turned on");
}

// A stranger whose identity still claims the address would otherwise come back with the next login.
TEST(SOC_3, AnIdentityThatTheOperatorUnlinkedIsOutForGood) {
    AccountWorld world;
    const Person person = world.service.make_person();
    const std::string id = "'" + person.id.text() + "'";
    ASSERT_EQ(world.user_of(world.log_in(apple, "owner", person.email)), person.id.text());
    const Answer stranger = world.log_in(google, "stranger", person.email);
    ASSERT_EQ(world.user_of(stranger), person.id.text());
    const TokenTexts owner = world.service.tokens_of(person);

    EXPECT_TRUE(world.unlink(person, SocialProvider::google));
    for (const std::string& access : {stranger.text("data.tokens.accessToken"), owner.access})
        EXPECT_EQ(world.service.get("/api/shared/user/session/list", bearer(access)).status, 401U);
    EXPECT_EQ(
        world.service.post("/api/shared/user/refresh", {}, bearer(stranger.text("data.tokens.refreshToken"))).status,
        401U);
    const std::string before = world.traces();
    for (const json::value& word : json::array{true, false}) {
        const Answer again = world.log_in_claiming("stranger", person.email, {{"email_verified", word}});
        EXPECT_EQ(again.status, 401U) << again.body;
        EXPECT_EQ(again.code_name(), "socialGoogleInvalid");
    }
    EXPECT_EQ(world.traces(), before);
    EXPECT_EQ(world.mails_of("identityUnlinked"), "1");
    EXPECT_EQ(world.one("metadata FROM activity_log WHERE action = 'adminUserUnlinkIdentity' AND user_id = " + id),
              R"({"provider":"google","by":"operator"})");
    EXPECT_EQ(world.one("count(*) FROM administration_acts WHERE code = 38 AND subject_id = " + id), "1");
    EXPECT_EQ(world.user_of(world.log_in(apple, "owner", person.email)), person.id.text()) << "the other provider";
    EXPECT_EQ(world.service.log_in(person).status, 200U);

    // As after an account at Google that was deleted and made anew.
    EXPECT_EQ(world.user_of(world.log_in(google, "owner", person.email)), person.id.text());
    EXPECT_EQ(world.log_in(google, "owner", person.email).status, 200U);
    EXPECT_EQ(world.log_in(google, "stranger", person.email).status, 401U);
    // Even if that one is unlinked as well.
    EXPECT_TRUE(world.unlink(person, SocialProvider::google));
    for (const char* subject : {"stranger", "owner"})
        EXPECT_EQ(world.log_in(google, subject, person.email).status, 401U) << subject;
    EXPECT_FALSE(world.unlink(person, SocialProvider::google)) << "none is linked";
    EXPECT_EQ(world.mails_of("identityUnlinked"), "2");
    // With an address of their own, the stranger is a user like all others.
    EXPECT_NE(world.user_of(world.log_in(google, "stranger", "stranger@example.org")), person.id.text());
}

TEST(SOC_3, AnUnlinkedIdentityStaysOutWhateverHappensToTheAccount) {
    AccountWorld world;
    Person person = world.service.make_person();
    ASSERT_EQ(world.log_in(google, "s-1", person.email).status, 200U);
    ASSERT_TRUE(world.unlink(person, SocialProvider::google));
    ASSERT_EQ(world.service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}},
                         bearer(world.service.tokens_of(person).access))
                  .status,
              200U);
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 401U);
    person.password = "Copper-Meadow-77";
    const std::string access = world.service.turn_two_factor_on(person).access;
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 401U);
    const std::string challenge = world.log_in(google, "s-2", person.email).text("data.challengeToken");
    ASSERT_EQ(world.service.verify(challenge, world.service.next_code(person)).status, 200U);
    const Answer exported = world.service.get("/api/shared/user/export", bearer(access));
    ASSERT_EQ(exported.status, 200U);
    const auto& identities = exported.json.at("identities").as_array();
    ASSERT_EQ(identities.size(), 2U);
    EXPECT_EQ(identities[0].at("subject"), "s-1");
    EXPECT_TRUE(identities[0].at("unlinkedAt").is_string()) << identities[0];
    EXPECT_FALSE(identities[0].as_object().contains("email")) << "no longer needed";
    EXPECT_EQ(identities[1].at("subject"), "s-2");
    EXPECT_FALSE(identities[1].as_object().contains("unlinkedAt"));
}

// The caller gets the same answer in all of these cases.
TEST(SOC_3, TheOperatorLearnsWhyAGenuineTokenLedToNoAccount) {
    AccountWorld world;
    const Person person = world.service.make_person();
    std::vector<Answer> answers;
    world.service.clock().advance(seconds{1});
    const std::string token = world.providers.token(world.service, google, "s-1", person.email);
    ASSERT_EQ(log_in_with(world.service, google, token).status, 200U);
    for (int i = 0; i < 12; ++i) answers.push_back(log_in_with(world.service, google, token));
    answers.push_back(world.log_in(google, "s-2", person.email));
    ASSERT_TRUE(world.unlink(person, SocialProvider::google));
    answers.push_back(world.log_in(google, "s-1", person.email));
    answers.push_back(world.log_in(google, "s-1", person.email, {{"nonce", "n-1"}}));
    answers.push_back(world.log_in_claiming("s-3", ada, {{"email_verified", false}}));
    answers.push_back(world.log_in_claiming("s-3", ada, {{"email", nullptr}}));
    for (const Answer& answer : answers) EXPECT_EQ(answer.code_name(), "socialGoogleInvalid") << answer.body;

    world.service.restart();  // writes the pending events
    std::map<std::string, int> told;
    for (const json::object& event : entries_in(world.service.folder() / "data" / "security" / "events.log")) {
        if (event.at("event") != "identity_token.refused") continue;
        EXPECT_EQ(event.at("detail").at("provider"), "google");
        const std::string reason(event.at("detail").at("reason").as_string());
        const bool names_account = event.contains("actor") && event.at("actor").as_string() == person.id.text();
        ++told[reason + (names_account ? " at the account" : "")];
    }
    const std::map<std::string, int> expected{{"used at the account", 10},  // of each reason ten in a minute
                                              {"otherIdentity at the account", 1},
                                              {"unlinked at the account", 1},
                                              {"nonce", 1},
                                              {"email", 1},
                                              {"email_verified", 1}};
    EXPECT_EQ(told, expected);
}

// A person who proves the address of an account that never had an owner begins anew.
TEST(SOC_3, ATakeOverForgetsWhatWasUnlinked) {
    AccountWorld world;
    const Person person = world.service.make_person();
    ASSERT_EQ(world.log_in(google, "s-1", person.email).status, 200U);
    ASSERT_TRUE(world.unlink(person, SocialProvider::google));
    EXPECT_EQ(world.one("subject FROM unlinked_identities"), "s-1");
    world.service.sql("UPDATE users SET is_verified = FALSE WHERE id = '" + person.id.text() + "'");
    EXPECT_EQ(world.user_of(world.log_in(google, "s-1", person.email)), person.id.text());
    EXPECT_EQ(world.rows("unlinked_identities"), "0");
}

// An attacker who has the token of the identity, and sends the code of the second factor only after it was unlinked.
TEST(SOC_3, ALoginInProgressDoesNotOutliveItsIdentity) {
    AccountWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    const Answer first = world.log_in(google, "s-1", person.email);
    ASSERT_EQ(world.service.verify(first.text("data.challengeToken"), world.service.next_code(person)).status, 200U);
    const Answer second = world.log_in(google, "s-1", person.email);
    ASSERT_TRUE(world.unlink(person, SocialProvider::google));
    EXPECT_EQ(world.service.verify(second.text("data.challengeToken"), world.service.next_code(person)).code_name(),
              "twoFactorChallengeInvalid");
    EXPECT_EQ(world.log_in(google, "s-1", person.email).status, 401U);
}

// A restored database does not know which identity tokens were used after the backup.
TEST(STO_6, AnIdentityTokenFromBeforeTheEpochCountsAsUsed) {
    AccountWorld world;
    const std::string token = world.providers.token(world.service, google, "s-1", ada);
    ASSERT_EQ(log_in_with(world.service, google, token).status, 200U);
    world.service.sql("DELETE FROM spent_identity_tokens");
    world.service.clock().advance(seconds{2});
    run(Epochs(world.service.app().services().database).raise(false, world.service.clock().now()));
    const Answer again = log_in_with(world.service, google, token);
    EXPECT_EQ(again.status, 401U) << again.body;
    EXPECT_EQ(world.log_in(google, "s-1", ada).status, 200U) << "the identity itself has no epoch";
}

// The epoch rises in the middle of the transaction that starts the session.
TEST(STO_6, ALoginWithAnIdentityTokenBesideARaiseStartsNoSessionOfTheNewEpoch) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    AccountWorld world;
    ASSERT_EQ(world.log_in(google, "s-1", ada).status, 200U);
    const std::string raised_at = std::to_string(epoch_ms(world.service.clock().now() + std::chrono::minutes{1}));
    world.service.sql(
        "CREATE FUNCTION raise_epoch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "UPDATE epochs SET grants = grants + 1, raised_at = " +
        raised_at +
        "; RETURN NULL; END $$; "
        "CREATE TRIGGER raise_epoch AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION raise_epoch()");
    world.log_in(google, "s-1", ada);
    EXPECT_EQ(world.rows("sessions"), "1");
}

TEST(SOC_3, AnAccountThatMayNotActIsNotJoined) {
    AccountWorld world;
    const Person person = world.service.make_person();
    for (const char* status : {"inactive", "blocked"})
        for (const char* verified : {"TRUE", "FALSE"}) {
            world.service.sql(std::string("UPDATE users SET status = '") + status + "', is_verified = " + verified);
            const std::string before = world.traces();
            const Answer answer = world.log_in(google, "s-1", person.email);
            EXPECT_EQ(answer.status, 403U);
            EXPECT_EQ(answer.code_name(), "inactiveForbidden");
            EXPECT_EQ(world.traces(), before);
        }
}

TEST(SOC_3, AnIdentityThatIsKnownProvesOnlyItsOwnAddress) {
    AccountWorld world;
    EXPECT_EQ(world.log_in(google, "s-1", ada).status, 200U);
    world.service.sql("UPDATE users SET is_verified = FALSE");
    EXPECT_EQ(world.log_in(google, "s-1", "other@example.org").code_name(), "emailNotVerified");
    EXPECT_EQ(world.log_in_claiming("s-1", ada, {{"email_verified", false}}).code_name(), "emailNotVerified");
    EXPECT_EQ(world.log_in(google, "s-1", ada).status, 200U);
    EXPECT_EQ(world.rows("identities"), "1");
}

TEST(SOC_6, AFirstLoginMakesAnAccount) {
    AccountWorld world;
    world.service.clock().advance(seconds{1});
    const std::string token = world.providers.token(world.service, apple, "s-1", "Ada@Example.org");
    Headers headers = bearer(token);
    headers.emplace_back("x-custom-lang", "de");
    const Answer answer = world.service.post("/api/public/user/login/social/apple",
                                             {{"from", "mobile"},
                                              {"device", {{"fingerprint", "phone"}, {"platform", "ios"}}},
                                              {"name", "Ada"},
                                              {"termsOfService", true},
                                              {"privacy", true},
                                              {"marketing", false}},
                                             headers);
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(answer.text("data.tokens.roleType"), "user");
    EXPECT_FALSE(answer.boolean("data.isTwoFactorRequired"));
    const auto row = world.service.sql(
        "SELECT email, name, status, sign_up_from, sign_up_with, last_login_from, last_login_with, language, "
        "CASE WHEN is_verified THEN 'yes' ELSE 'no' END, COALESCE(password_hash, 'none'), "
        "COALESCE(CAST(password_expires_at AS TEXT), 'never') FROM users")[0];
    EXPECT_EQ(row, (std::vector<std::string>{ada, "Ada", "active", "mobile", "socialApple", "mobile", "socialApple",
                                             "de", "yes", "none", "never"}));
    EXPECT_EQ(world.mails_of("welcome"), "1");
    EXPECT_EQ(world.mails_of("identityJoined"), "0");
    EXPECT_EQ(world.count_of("userSignedUp"), "1");
    EXPECT_EQ(world.count_of("userLoginApple"), "1");
    EXPECT_EQ(world.one("provider FROM identities"), "apple");
    EXPECT_EQ(world.one("device_platform FROM sessions"), "ios");
    // The account has no password.
    EXPECT_EQ(world.service.log_in(ada, right_password).code_name(), "passwordNotMatch");
}

TEST(SOC_6, AFirstLoginAcceptsWhatWasTicked) {
    AccountWorld world;
    publish(world.service, "termsOfService", 2);
    publish(world.service, "marketing", 1);
    const Answer answer =
        world.log_in(google, "s-1", ada, {{"termsOfService", true}, {"privacy", true}, {"marketing", false}});
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(flags(world.service, answer.text("data.tokens.accessToken")), "1101");
    EXPECT_EQ(world.one("version FROM term_policy_acceptances"), "2");
}

TEST(SOC_6, AHundredFirstLoginsAtOnceMakeOneAccount) {
    AccountWorld world;
    const auto answers = all_at_once(world.service, world.logins(100, "s-1", ada));
    EXPECT_EQ(count(answers, 200), 100U);
    EXPECT_EQ(world.rows("users"), "1");
    EXPECT_EQ(world.rows("identities"), "1");
    EXPECT_EQ(world.count_of("userSignedUp"), "1");
    EXPECT_EQ(world.mails_of("welcome"), "1");
    EXPECT_EQ(world.one("count(*) FROM sessions WHERE revoked_at IS NULL"), "10") << "the bound holds here as well";
}

TEST(SOC_6, ManySubjectsWithOneAddressAtOnceAreOneAccountOfOneOfThem) {
    AccountWorld world;
    std::vector<Call> calls;
    for (int i = 0; i < 30; ++i)
        calls.push_back(
            {.path = "/api/public/user/login/social/google",
             .body = {{"from", "website"}},
             .headers = bearer(world.providers.token(world.service, google, "s-" + std::to_string(i), ada))});
    const auto answers = all_at_once(world.service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 401, "socialGoogleInvalid"), 29U);
    EXPECT_EQ(world.rows("users"), "1");
    EXPECT_EQ(world.rows("identities"), "1");
}

TEST(SOC_6, ATakeOverHappensOnceHoweverManyCome) {
    AccountWorld world;
    const Person squatter = world.service.make_person();
    world.service.sql("UPDATE users SET is_verified = FALSE");
    const auto answers = all_at_once(world.service, world.logins(30, "s-1", squatter.email));
    EXPECT_EQ(count(answers, 200), 30U);
    EXPECT_EQ(world.count_of("userVerifiedEmail"), "1");
    EXPECT_EQ(world.one("security_version FROM users"), "2");
    EXPECT_EQ(world.rows("identities"), "1");
}

TEST(SOC_6, WhatIsSwitchedOffLetsNobodyIn) {
    AccountWorld world;
    const Person person = world.service.make_person();
    EXPECT_EQ(world.log_in(google, "s-1", ada).status, 200U);
    world.service.sql("UPDATE feature_flags SET is_enabled = FALSE WHERE key = 'loginWithGoogle'");
    world.service.lose_cache();
    world.service.restart();
    const auto fetched = world.providers.fetches(google);
    const std::string before = world.traces();
    for (const std::string& email : {std::string(ada), person.email, std::string("new@example.org")}) {
        const Answer answer = world.log_in(google, email == ada ? "s-1" : "s-2", email);
        EXPECT_EQ(answer.status, 503U) << answer.body;
        EXPECT_EQ(answer.number("statusCode"), 5081);
    }
    const Answer bare = world.service.post("/api/user/login/social/google", {{"from", "website"}});
    EXPECT_EQ(bare.number("statusCode"), 5081) << "no token: " << bare.body;
    EXPECT_EQ(log_in_with(world.service, google, "no.token.x").number("statusCode"), 5081);
    EXPECT_EQ(world.providers.fetches(google), fetched) << "no token is checked";
    EXPECT_EQ(world.traces(), before);
    EXPECT_EQ(world.log_in(apple, "s-1", "ida@example.org").status, 200U) << "the other provider is not concerned";

    for (const char* path : {"github", "Google", "google2", "", "googl%65"})
        EXPECT_EQ(world.service.post(std::string("/api/user/login/social/") + path, {{"from", "website"}}).status, 404U)
            << path;
    const Service without;
    const Answer answer = log_in_with(without, google, world.providers.token(world.service, google, "s-1", ada));
    EXPECT_EQ(answer.code_name(), "socialGoogleInvalid") << "no client id is configured";
}

TEST(SOC_6, SignUpCanBeSwitchedOffAlone) {
    AccountWorld world;
    const Person person = world.service.make_person();
    world.service.sql("UPDATE feature_flags SET metadata = '{\"signUpAllowed\":false}' WHERE key = 'loginWithGoogle'");
    world.service.lose_cache();
    world.service.restart();
    const std::string before = world.traces();
    const Answer answer = world.log_in(google, "s-1", ada);
    EXPECT_EQ(answer.status, 403U);
    EXPECT_EQ(answer.code_name(), "signUpForbidden");
    EXPECT_EQ(answer.number("statusCode"), 5177);
    EXPECT_EQ(world.traces(), before);
    EXPECT_EQ(world.log_in(google, "s-2", person.email).status, 200U) << "who has an account may join";
    EXPECT_EQ(world.log_in(apple, "s-3", "ida@example.org").status, 200U);
}

TEST(SOC_6, AnOutageLeavesNothingBehindAndTheTokenGood) {
    AccountWorld world;
    world.service.clock().advance(seconds{1});
    const std::string token = world.providers.token(world.service, google, "s-1", ada);
    const std::string before = world.traces();
    world.service.break_writes("INSERT ON sessions");
    EXPECT_EQ(log_in_with(world.service, google, token).status, 503U);
    EXPECT_EQ(world.traces(), before);
    world.service.mend_writes();
    EXPECT_EQ(log_in_with(world.service, google, token).status, 200U);
    EXPECT_EQ(world.rows("users"), "1");
}

}  // namespace
}  // namespace consentry::tests
