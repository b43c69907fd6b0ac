// SES-5: tests every way to end sessions over HTTP. Earlier grants are refused from the next request on, even if the
// service trusts its cache.
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "features/sessions/repository.hpp"
#include "features/sessions/tokens.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/run.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

// An account with a session for each kind of client, and an administrator.
struct World {
    explicit World(Service& its_service) : service(its_service) {}

    Service& service;
    Person person = service.make_person();
    TokenTexts chief = service.tokens_of(service.make_person(Role::super_admin));
    std::vector<TokenTexts> sessions;
    std::string challenge;  // set if the second factor is on

    void log_in(const json::object& more) {
        json::object body{{"email", person.email}, {"password", person.password}};
        for (const auto& member : more) body[member.key()] = member.value();
        Answer answer = service.post("/api/public/user/login/credential", body);
        if (!person.secret.empty())
            answer = service.verify(answer.text("data.challengeToken"), service.next_code(person));
        EXPECT_EQ(answer.status, 200U) << answer.body;
        sessions.push_back({answer.text("data.tokens.accessToken"), answer.text("data.tokens.refreshToken")});
    }
    void log_in_everywhere() {
        log_in({{"from", "website"}});
        log_in({{"from", "mobile"}});
        log_in({{"from", "mobile"}, {"device", {{"fingerprint", "a-device"}, {"platform", "ios"}}}});
        if (!person.secret.empty()) challenge = service.challenge_of(person);
    }
    Headers own() const { return bearer(sessions.at(0).access); }
    Answer administer(std::string_view method, const std::string& what, const json::object& body = {}) const {
        return service.call(method, "/api/admin/user/" + what, body.empty() ? "" : json::serialize(body),
                            bearer(chief.access));
    }
    std::string id() const { return person.id.text(); }
    static std::string session_id(const TokenTexts& tokens) {
        return std::string(claims_of(tokens.access).at("sid").as_string());
    }
};

struct Way {
    std::string name;
    bool with_second_factor;
    std::function<Answer(World&)> go;
    std::set<std::size_t> spared = {};  // indices into World::sessions
};

const std::vector<Way>& ways() {
    static const std::vector<Way> all{
        {"ChangeOfPassword", false,
         [](World& world) {
             return world.service.patch("/api/shared/user/change-password",
                                        {{"oldPassword", world.person.password}, {"newPassword", new_password}},
                                        world.own());
         }},
        {"ResetByLink", false,
         [](World& world) {
             EXPECT_EQ(forget(world.service, world.person.email).status, 200U);
             return reset(world.service, forgotten_token(world.service, world.person.email), new_password);
         }},
        {"TemporaryPassword", false,
         [](World& world) { return world.administer("PUT", "update/" + world.id() + "/password"); }},
        {"StatusInactive", false,
         [](World& world) {
             return world.administer("PATCH", "update/" + world.id() + "/status", {{"status", "inactive"}});
         }},
        {"StatusBlocked", false,
         [](World& world) {
             return world.administer("PATCH", "update/" + world.id() + "/status", {{"status", "blocked"}});
         }},
        {"Role", false,
         [](World& world) {
             return world.administer("PUT", "update/" + world.id() + "/role",
                                     {{"roleId", built_in_role(Role::admin).text()}});
         }},
        {"Deletion", false,
         [](World& world) { return world.service.erase("/api/user/user/delete/self", {}, world.own()); }},
        {"SecondFactorOn",
         false,
         [](World& world) {
             const Answer set_up = world.service.post("/api/user/2fa/setup", {}, world.own());
             world.person.secret = set_up.text("data.secret");
             return world.service.post("/api/user/2fa/confirm", {{"code", world.service.code(world.person)}},
                                       world.own());
         },
         {0}},
        {"SecondFactorOff",
         true,
         [](World& world) {
             return world.service.erase("/api/shared/user/2fa/disable",
                                        {{"code", world.service.next_code(world.person)}}, world.own());
         },
         {0}},
        {"SecondFactorReset", true,
         [](World& world) { return world.administer("PATCH", "update/" + world.id() + "/2fa/reset"); }},
        {"Logout",
         false,
         [](World& world) { return world.service.post("/api/shared/user/logout", {}, world.own()); },
         {1, 2}},
        {"RevocationByOwner",
         false,
         [](World& world) {
             return world.service.erase("/api/shared/user/session/revoke/" + World::session_id(world.sessions[1]), {},
                                        world.own());
         },
         {0, 2}},
        {"RevocationByAdministrator",
         false,
         [](World& world) {
             return world.administer("DELETE", world.id() + "/session/revoke/" + World::session_id(world.sessions[2]));
         },
         {0, 1}},
    };
    return all;
}

// One service for each value of SESSION_CHECK; each test has accounts of its own.
class WaysToEndSessions : public ::testing::TestWithParam<std::tuple<std::size_t, std::string>> {
protected:
    static void TearDownTestSuite() { running.clear(); }
    static Service& service_with(const std::string& check) {
        auto& service = running[check];
        if (!service) service = std::make_unique<Service>(Environment{{"SESSION_CHECK", check}});
        return *service;
    }

private:
    static inline std::map<std::string, std::unique_ptr<Service>> running;
};

TEST_P(WaysToEndSessions, SES_5) {
    const Way& way = ways().at(std::get<0>(GetParam()));
    World world(service_with(std::get<1>(GetParam())));
    if (way.with_second_factor) world.service.turn_two_factor_on(world.person);
    world.log_in_everywhere();
    const auto bystander = world.service.tokens_of(world.service.make_person());
    // Uses every session, so that all possible cached copies exist.
    for (const auto& tokens : world.sessions)
        ASSERT_EQ(status_with(world.service, tokens.access).status, 200U) << "before";

    const Answer done = way.go(world);
    ASSERT_EQ(done.status / 100, 2U) << done.body;

    for (std::size_t i = 0; i < world.sessions.size(); ++i) {
        const bool spared = way.spared.contains(i);
        if (!spared) expect_refused_token(world.service, world.sessions[i].access, std::to_string(i));
        const Answer refreshed = refresh_with(world.service, world.sessions[i].refresh);
        EXPECT_EQ(refreshed.status, spared ? 200U : 401U) << i << ": " << refreshed.body;
        if (spared) {
            const std::string access = refreshed.text("data.accessToken");
            EXPECT_EQ(status_with(world.service, access).status, 200U) << i;
        }
    }
    if (!world.challenge.empty()) {
        const Answer verified = world.service.verify(world.challenge, world.service.next_code(world.person));
        EXPECT_EQ(verified.code_name(), "twoFactorChallengeInvalid") << verified.body;
    }
    EXPECT_EQ(status_with(world.service, world.chief.access).status, 200U);
    EXPECT_EQ(status_with(world.service, bystander.access).status, 200U);
}

INSTANTIATE_TEST_SUITE_P(All, WaysToEndSessions,
                         ::testing::Combine(::testing::Range(std::size_t{0}, ways().size()),
                                            ::testing::Values("strict", "cache")),
                         [](const auto& parameter) {
                             return ways().at(std::get<0>(parameter.param)).name + "_" + std::get<1>(parameter.param);
                         });

// With trusted copies, and sessions whose end has committed, but whose copies are still there: the instance died, or
// the answer of the database was lost, so the client repeats the request.
class LostEnds : public ::testing::Test {
protected:
    LostEnds() {
        world.log_in_everywhere();
        for (const auto& tokens : world.sessions) EXPECT_EQ(status_with(service, tokens.access).status, 200U);
        service.sql("UPDATE sessions SET revoked_reason = 'lost', revoked_at = " +
                    std::to_string(epoch_ms(service.clock().now())) + " WHERE user_id = '" + world.id() + "'");
        for (const auto& tokens : world.sessions)
            EXPECT_EQ(status_with(service, tokens.access).status, 200U) << "from the copy";
    }

    Service service{{{"SESSION_CHECK", "cache"}}};
    World world{service};
};

TEST_F(LostEnds, SES_2_ARepeatedLogoutEndsTheCopy) {
    EXPECT_EQ(service.post("/api/shared/user/logout", {}, world.own()).status, 200U);
    expect_refused_token(service, world.sessions[0].access, "logged out");
}

TEST_F(LostEnds, SES_2_ARepeatedRevocationEndsTheCopy) {
    const std::string path = world.id() + "/session/revoke/" + World::session_id(world.sessions[2]);
    EXPECT_EQ(world.administer("DELETE", path).code_name(), "notFound");
    expect_refused_token(service, world.sessions[2].access, "revoked");
}

TEST_F(LostEnds, SES_2_ARepeatedRevocationOfAllEndsEveryCopy) {
    const std::string ended = "SELECT count(*) FROM sessions WHERE revoked_reason = 'lost'";
    const auto before = service.sql(ended);
    EXPECT_TRUE(run(service.app().services().administration.revoke_all(
        {.actor = Actor::operator_at_the_machine(), .cause = {}}, world.person.id)));
    for (const auto& tokens : world.sessions) expect_refused_token(service, tokens.access, "revoked");
    EXPECT_EQ(service.sql(ended), before) << "they keep the end that they had";
}

// The same with a refresh, which ends the access token.
TEST(SES_2, ARepeatedRefreshEndsTheCopy) {
    Service service({{"SESSION_CHECK", "cache"}});
    const TokenTexts tokens = service.tokens_of(service.make_person());
    ASSERT_EQ(status_with(service, tokens.access).status, 200U);
    const json::object claims = claims_of(tokens.refresh);
    Rotation lost{.user = UserId::parse(claims.at("sub").as_string()).value(),
                  .session = SessionId::parse(claims.at("sid").as_string()).value(),
                  .old_jti = std::string(claims.at("jti").as_string()),
                  .presented_digest = token_digest(TokenKind::refresh, tokens.refresh),
                  .new_jti = std::string(32, 'A'),
                  .at = service.clock().now()};
    SessionRepository sessions(service.app().services().database);
    ASSERT_TRUE(run(sessions.rotate(lost, SessionRepository::LockAccount::no)));
    ASSERT_EQ(status_with(service, tokens.access).status, 200U) << "from the copy";
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 200U) << "within the grace";
    expect_refused_token(service, tokens.access, "replaced");
}

}  // namespace
}  // namespace consentry::tests
