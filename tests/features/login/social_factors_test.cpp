// TFA-14: tests that a login through an identity provider passes the same checks as any other login.
#include <gtest/gtest.h>

#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/identity_provider.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

struct FactorWorld {
    IdentityProviders providers;
    // No mail server takes the mails, so they stay in the table and can be counted.
    Service service{providers.settings({{"MAIL_URL", "smtp://127.0.0.1:9"}})};

    Answer log_in(const std::string& subject, const std::string& email) {
        service.clock().advance(seconds{1});
        return log_in_with(service, google, providers.token(service, google, subject, email));
    }
    std::string one(const std::string& select) const { return service.sql("SELECT " + select)[0][0]; }
};

TEST(TFA_14, ASocialLoginAsksForTheSecondFactorAndJoinsAfterIt) {
    FactorWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    const std::string sessions = world.one("count(*) FROM sessions");
    const Answer answer = world.log_in("s-1", person.email);
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_TRUE(answer.boolean("data.isTwoFactorRequired"));
    EXPECT_FALSE(answer.has("data.tokens"));
    EXPECT_EQ(world.one("count(*) FROM sessions"), sessions);
    EXPECT_EQ(world.one("count(*) FROM identities"), "0") << "half a login joins nothing";

    const std::string challenge = answer.text("data.challengeToken");
    EXPECT_EQ(world.service.verify(challenge, wrong_code(world.service, person)).status, 401U);
    EXPECT_EQ(world.one("count(*) FROM identities"), "0");
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(person)).status, 200U);
    EXPECT_EQ(world.one("subject FROM identities"), "s-1");
    EXPECT_EQ(world.one("last_login_with FROM users"), "socialGoogle");
    EXPECT_EQ(world.one("count(*) FROM mails WHERE kind = 'identityJoined'"), "1");
    EXPECT_EQ(world.one("count(*) FROM activity_log WHERE action = 'userJoinGoogle'"), "1");

    // Two challenges of one account that are both pending, after the identity is known.
    const std::string first = world.log_in("s-1", person.email).text("data.challengeToken");
    const std::string second = world.log_in("s-1", person.email).text("data.challengeToken");
    EXPECT_EQ(world.service.verify(first, world.service.next_code(person)).status, 200U);
    EXPECT_EQ(world.service.verify(second, world.service.next_code(person)).status, 200U);
    EXPECT_EQ(world.one("count(*) FROM identities"), "1");
    EXPECT_EQ(world.one("count(*) FROM mails WHERE kind = 'identityJoined'"), "1");
}

// A 503 asks for a repetition, and a provider's token admits once.
TEST(TFA_14, ACacheThatIsAwaySpendsNoIdentityToken) {
    TcpProxy link(port_of(shared_redis_url()));  // to which each thread has a connection of its own
    const IdentityProviders providers;
    Service service{providers.settings({{"CACHE_URL", with_port(shared_redis_url(), link.port())},
                                        {"CACHE_NAMESPACE", fresh_namespace()},
                                        {"HTTP_THREADS", "1"}})};
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string admin = service.tokens_of(service.make_person(Role::admin)).access;
    for (const bool is_forced : {false, true}) {
        SCOPED_TRACE(is_forced);
        if (is_forced) {
            EXPECT_EQ(
                service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, bearer(admin)).status,
                200U);
        }
        const std::string token = providers.token(service, google, is_forced ? "s-2" : "s-1", person.email);
        link.refuse();
        EXPECT_EQ(log_in_with(service, google, token).status, 503U);
        link.pass();
        Answer answer;
        EXPECT_TRUE(eventually([&] {
            answer = log_in_with(service, google, token);
            return answer.status != 503;
        }));
        ASSERT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(answer.has("data.isRequiredSetup"), is_forced);
        EXPECT_EQ(answer.text("data.challengeToken").size(), 48U);
        EXPECT_EQ(log_in_with(service, google, token).status, 401U) << "now it is spent";
    }
}

TEST(TFA_14, OfTwoIdentitiesThatWouldJoinOneDoes) {
    FactorWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    const std::string first = world.log_in("s-1", person.email).text("data.challengeToken");
    const std::string second = world.log_in("s-2", person.email).text("data.challengeToken");
    EXPECT_EQ(world.service.verify(first, world.service.next_code(person)).status, 200U);
    const Answer late = world.service.verify(second, world.service.next_code(person));
    EXPECT_EQ(late.status, 401U);
    EXPECT_EQ(late.code_name(), "twoFactorChallengeInvalid");
    EXPECT_EQ(world.one("subject FROM identities"), "s-1");
}

TEST(TFA_14, AForcedSetUpStandsBeforeTheTokensHereAsWell) {
    FactorWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    const std::string admin = world.service.tokens_of(world.service.make_person(Role::admin)).access;
    EXPECT_EQ(
        world.service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, bearer(admin)).status,
        200U);
    const Answer answer = world.log_in("s-1", person.email);
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_TRUE(answer.boolean("data.isRequiredSetup"));
    const std::string challenge = answer.text("data.challengeToken");
    person.secret = answer.text("data.secret");
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(person)).status, 400U);
    EXPECT_EQ(world.one("count(*) FROM identities"), "0");
    EXPECT_EQ(world.service
                  .post("/api/public/user/login/2fa/enable",
                        {{"challengeToken", challenge}, {"code", world.service.next_code(person)}})
                  .status,
              200U);
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(person)).status, 200U);
    EXPECT_EQ(world.one("subject FROM identities"), "s-1");
}

TEST(TFA_12, AForcedSetUpEndsForASocialLoginAsWell) {
    FactorWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    reset_two_factor(world.service, person);
    world.service.pass(std::chrono::days{7} - std::chrono::minutes{1});
    EXPECT_TRUE(world.log_in("s-1", person.email).boolean("data.isRequiredSetup"));
    world.service.pass(std::chrono::minutes{1});
    const std::string token = world.providers.token(world.service, google, "s-1", person.email);
    const Answer refused = log_in_with(world.service, google, token);
    EXPECT_EQ(refused.status, 403U) << refused.body;
    EXPECT_EQ(refused.code_name(), "twoFactorSetupExpired");
    EXPECT_FALSE(refused.has("data.secret"));
    EXPECT_EQ(world.one("count(*) FROM identities"), "0");
    reset_two_factor(world.service, person);
    const Answer again = log_in_with(world.service, google, token);
    EXPECT_TRUE(again.boolean("data.isRequiredSetup")) << "the refusal spent nothing: " << again.body;
}

TEST(TFA_14, WhatBindsPasswordsAloneDoesNotBindASocialLogin) {
    FactorWorld world;
    const Person person = world.service.make_person();
    for (int i = 0; i < 5; ++i) world.service.log_in(person.email, wrong_password);
    EXPECT_EQ(world.service.log_in(person).code_name(), "passwordAttemptMax");
    EXPECT_EQ(world.log_in("s-1", person.email).status, 200U);
    EXPECT_EQ(world.service.log_in(person).code_name(), "passwordAttemptMax") << "nor does it lift the lock";
    EXPECT_EQ(world.one("password_attempt FROM users"), "5");

    world.service.sql("UPDATE users SET password_expires_at = 1");
    EXPECT_EQ(world.log_in("s-1", person.email).status, 200U);
}

TEST(TFA_14, AnExpiredPasswordDoesNotBindTheSecondStepEither) {
    FactorWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    world.service.sql("UPDATE users SET password_expires_at = 1");
    const std::string challenge = world.log_in("s-1", person.email).text("data.challengeToken");
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(person)).status, 200U);
}

TEST(TFA_14, ATemporaryPasswordMustBeChangedHoweverOneComes) {
    FactorWorld world;
    const Person person = world.service.make_person();
    world.service.sql("UPDATE users SET must_change_password = TRUE");
    const Answer answer = world.log_in("s-1", person.email);
    ASSERT_EQ(answer.status, 200U);
    const Headers tokens = bearer(answer.text("data.tokens.accessToken"));
    EXPECT_EQ(world.service.get("/api/shared/user/session/list", tokens).code_name(), "passwordExpired");
    EXPECT_EQ(world.service.post("/api/shared/user/logout", {}, tokens).status, 200U);
}

TEST(TFA_14, ASecurityChangeEndsASocialLoginThatIsUnderWay) {
    FactorWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    const std::string challenge = world.log_in("s-1", person.email).text("data.challengeToken");
    world.service.sql("UPDATE users SET security_version = security_version + 1");
    EXPECT_EQ(world.service.verify(challenge, world.service.next_code(person)).code_name(),
              "twoFactorChallengeInvalid");
    EXPECT_EQ(world.one("count(*) FROM identities"), "0");
}

}  // namespace
}  // namespace consentry::tests
