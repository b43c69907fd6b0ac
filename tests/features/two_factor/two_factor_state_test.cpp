// The states of the second factor, the check that every path to tokens passes, and the reset by an administrator.
#include <array>
#include <set>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"

namespace consentry::tests {
namespace {

void expect_refused(const Answer& answer, unsigned status, std::string_view name) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.code_name(), name);
}

std::vector<std::vector<std::string>> sealed(const Service& service, const Person& person) {
    return service.sql("SELECT hex(iv), hex(secret), enabled, required_setup FROM two_factors WHERE user_id = '" +
                       person.id.text() + "'");
}

std::string reset_path(const std::string& user) { return "/api/admin/user/update/" + user + "/2fa/reset"; }

TEST(TFA_12, AnActiveSecretIsNeitherShownNorReplaced) {
    Enrolled it;
    const auto before = sealed(it.service, it.person);
    const Headers caller = bearer(it.tokens.access);
    for (const char* path : {"/api/user/2fa/setup", "/api/shared/user/2fa/setup"})
        expect_refused(it.service.post(path, {}, caller), 400, "twoFactorAlreadyEnabled");
    const std::string challenge = it.service.challenge_of(it.person);
    expect_refused(it.service.post("/api/user/login/2fa/enable",
                                   {{"challengeToken", challenge}, {"code", it.service.next_code(it.person)}}),
                   400, "twoFactorNotRequiredSetup");
    // A login in progress has only a challenge token, which set-up does not accept.
    expect_refused(it.service.post("/api/user/2fa/setup", {}, bearer(challenge)), 401, "jwtAccessTokenInvalid");
    EXPECT_EQ(sealed(it.service, it.person), before);
    EXPECT_EQ(it.service.verify(challenge, it.service.code(it.person)).status, 200U) << "nothing was spent";
    const Answer status = it.service.get("/api/user/2fa/status", caller);
    EXPECT_FALSE(status.body.contains(it.person.secret));
    EXPECT_FALSE(it.service.log_in(it.person).has("data.secret"));
}

TEST(TFA_12, NobodyBringsASecretOfTheirOwn) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    const Answer refused =
        service.post("/api/user/2fa/setup", {{"secret", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}}, caller);
    EXPECT_EQ(refused.status, 422U);
    EXPECT_TRUE(refused.violates("secret", "whitelistValidation"));
    const Answer confirm = service.post("/api/user/2fa/confirm", {{"code", "287082"}, {"secret", "GEZDGNBV"}}, caller);
    EXPECT_TRUE(confirm.violates("secret", "whitelistValidation"));
    EXPECT_TRUE(sealed(service, person).empty());
}

TEST(TFA_12, ASecondSetUpMakesTheFirstSecretUseless) {
    Service& service = suite_service();
    Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    Person older = person;
    older.secret = service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    person.secret = service.post("/api/shared/user/2fa/setup", {}, caller).text("data.secret");
    EXPECT_NE(older.secret, person.secret);
    expect_refused(service.post("/api/user/2fa/confirm", {{"code", service.code(older)}}, caller), 401,
                   "twoFactorInvalid");
    EXPECT_EQ(service.post("/api/user/2fa/confirm", {{"code", service.code(person)}}, caller).status, 200U);
}

TEST(TFA_12, WithoutReplayProtectionASetUpTakesACodeOfAnyAcceptedStep) {
    Enrolled it({{"AUTH_TWO_FACTOR_REPLAY_PROTECTION", "false"}});
    const Headers caller = bearer(it.tokens.access);
    ASSERT_EQ(it.service.erase("/api/user/2fa", {{"code", it.service.code(it.person)}}, caller).status, 204U);
    it.person.secret = it.service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    const Answer confirmed =
        it.service.post("/api/user/2fa/confirm", {{"code", it.service.code(it.person, -1)}}, caller);
    EXPECT_EQ(confirmed.status, 200U) << confirmed.body;

    reset_two_factor(it.service, it.person);
    const Answer login = it.service.log_in(it.person);
    it.person.secret = login.text("data.secret");
    const Answer enabled = it.service.post(
        "/api/user/login/2fa/enable",
        {{"challengeToken", login.text("data.challengeToken")}, {"code", it.service.code(it.person, -1)}});
    EXPECT_EQ(enabled.status, 200U) << enabled.body;
    EXPECT_EQ(two_factor_attempt(it.service, it.person), "0") << "no failure was counted";
}

TEST(TFA_13, EachStateRefusesWhatDoesNotFitIt) {
    Service& service = suite_service();
    Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    const auto confirm = [&](const std::string& code) {
        return service.post("/api/user/2fa/confirm", {{"code", code}}, caller);
    };
    const auto disable = [&](const json::object& proof) { return service.erase("/api/user/2fa", proof, caller); };
    const auto regenerate = [&] { return service.post("/api/user/2fa/backup/regenerate", {}, caller); };
    // Two-factor is off.
    expect_refused(confirm("123456"), 400, "twoFactorRequiredSetup");
    expect_refused(disable({{"code", "123456"}}), 400, "twoFactorNotEnabled");
    expect_refused(disable({}), 400, "twoFactorNotEnabled");
    expect_refused(regenerate(), 400, "twoFactorNotEnabled");
    // Set-up is pending, so two-factor is still off.
    person.secret = service.post("/api/user/2fa/setup", {}, caller).text("data.secret");
    expect_refused(disable({{"code", service.code(person)}}), 400, "twoFactorNotEnabled");
    expect_refused(regenerate(), 400, "twoFactorNotEnabled");
    EXPECT_TRUE(service.log_in(person).has("data.tokens"));
    // Two-factor is on.
    ASSERT_EQ(confirm(service.code(person)).status, 200U);
    expect_refused(confirm(service.next_code(person)), 400, "twoFactorAlreadyEnabled");
    expect_refused(disable({}), 400, "twoFactorMethodRequired");
    expect_refused(disable({{"method", "code"}}), 400, "twoFactorMethodRequired");
    EXPECT_TRUE(service.get("/api/user/2fa/status", caller).boolean("data.isEnabled"));
    ASSERT_EQ(disable({{"code", service.code(person)}, {"method", "code"}}).status, 204U);
    // Two-factor is off again, and nothing of the former state remains.
    expect_refused(confirm(service.next_code(person)), 400, "twoFactorRequiredSetup");
    expect_refused(regenerate(), 400, "twoFactorNotEnabled");
    EXPECT_TRUE(service.log_in(person).has("data.tokens"));
}

TEST(TFA_13, BothOrNeitherAtVerificationIsRefusedAndSpendsNothing) {
    Enrolled it;
    const std::string challenge = it.service.challenge_of(it.person);
    const std::string code = it.service.next_code(it.person);
    const std::string& backup = it.person.backup_codes[0];
    const auto verify = [&](json::object body) {
        body["challengeToken"] = challenge;
        return it.service.post("/api/user/login/2fa", body);
    };
    EXPECT_TRUE(verify({{"code", code}, {"backupCode", backup}}).violates("backupCode", "isExclusive"));
    EXPECT_TRUE(verify({}).violates("code", "isOneRequired"));
    EXPECT_TRUE(verify({}).violates("backupCode", "isOneRequired"));
    EXPECT_TRUE(verify({{"method", "code"}}).violates("code", "isOneRequired"));
    EXPECT_TRUE(verify({{"method", "backupCode"}, {"code", code}}).violates("method", "isMatching"));
    EXPECT_TRUE(verify({{"method", "code"}, {"backupCode", backup}}).violates("method", "isMatching"));
    const Answer unknown = verify({{"method", "sms"}, {"backupCode", backup}});
    EXPECT_TRUE(unknown.violates("method", "isEnum")) << unknown.body;
    EXPECT_FALSE(unknown.violates("method", "isMatching")) << unknown.body;
    EXPECT_TRUE(verify({{"method", "sms"}, {"code", code}}).violates("method", "isEnum"));
    const Answer both =
        it.service.erase("/api/user/2fa", {{"code", code}, {"backupCode", backup}}, bearer(it.tokens.access));
    EXPECT_EQ(both.status, 422U);
    EXPECT_TRUE(both.violates("backupCode", "isExclusive"));
    EXPECT_EQ(two_factor_attempt(it.service, it.person), "0");
    EXPECT_EQ(verify({{"method", "code"}, {"code", code}}).status, 200U);
}

// Returns every operation whose described answer contains an access token.
std::set<std::string> operations_with_tokens(const http::Router& router) {
    std::set<std::string> out;
    for (const auto& operation : router.operations()) {
        if (!operation->describe_data) continue;
        http::Components components;
        const json::object data = operation->describe_data(components);
        if ((json::serialize(data) + json::serialize(components)).contains("\"accessToken\""))
            out.insert(operation->id);
    }
    return out;
}

std::vector<Call> routes_of(App& app, const std::string& id, const json::object& body, const Headers& headers) {
    std::vector<Call> out;
    for (const auto& operation : app.router().operations()) {
        if (operation->id != id) continue;
        std::vector<http::Method> methods{operation->method};
        methods.insert(methods.end(), operation->other_methods.begin(), operation->other_methods.end());
        for (const std::string& path : app.router().full_paths(*operation))
            for (const http::Method method : methods)
                out.push_back({path, body, headers, std::string(name_of(method))});
    }
    return out;
}

TEST(TFA_14, ThePathsToTokensAreThese) {
    Service& service = suite_service();
    // A new operation that issues tokens must be added to the tests below. social_factors_test.cpp covers the provider
    // logins, and freshness_test.cpp the confirmation, which only replaces the tokens of a session. The pages are in
    // session_cookies_test.cpp.
    EXPECT_EQ(operations_with_tokens(service.app().router()),
              (std::set<std::string>{"confirmSession", "loginWithApple", "loginWithCredential", "loginWithGoogle",
                                     "refreshTokens", "verifyLogin"}));
}

TEST(TFA_14, NoPathBypassesTheSecondFactor) {
    Enrolled it;
    Service& service = it.service;
    const json::object login = credentials(it.person.email, it.person.password);
    std::string challenge;
    for (const Call& call : routes_of(service.app(), "loginWithCredential", login, {})) {
        const Answer answer = service.call(call.method, call.path, json::serialize(call.body), call.headers);
        EXPECT_EQ(answer.status, 200U) << call.path;
        EXPECT_TRUE(answer.boolean("data.isTwoFactorRequired")) << call.path;
        EXPECT_FALSE(answer.body.contains("accessToken")) << call.path;
        challenge = answer.text("data.challengeToken");
    }
    EXPECT_EQ(service.live_sessions(it.person), 1U) << "the enabling one";
    for (const Call& call : routes_of(service.app(), "refreshTokens", {}, bearer(challenge)))
        EXPECT_EQ(service.call(call.method, call.path, "{}", call.headers).status, 401U) << call.path;
    int n = 0;
    const auto roads = routes_of(service.app(), "verifyLogin", {{"challengeToken", challenge}}, {});
    for (const Call& call : roads) {
        json::object body = call.body;
        body["code"] = wrong_code(service, it.person);
        const Answer answer = service.call(call.method, call.path, json::serialize(body), {});
        EXPECT_EQ(answer.status, n++ < 5 ? 401U : 429U) << call.path;
    }
    EXPECT_GE(n, 6) << "the lock was met as well";
    for (const auto& operation : service.app().router().operations())
        if (operation->access.name == "user")
            EXPECT_EQ(service
                          .call(name_of(operation->method), service.app().router().full_paths(*operation).front(), {},
                                bearer(challenge))
                          .status,
                      401U)
                << operation->id;
}

TEST(TFA_14, NoPathBypassesTheStateOfTheAccount) {
    for (const auto& [change, login, session] : unusable_states) {
        Enrolled it;
        const Person plain = it.service.make_person();
        const TokenTexts live = it.service.tokens_of(plain);
        const std::string challenge = it.service.challenge_of(it.person);
        it.service.sql(std::string("UPDATE users SET ") + change + " WHERE id IN ('" + it.person.id.text() + "', '" +
                       plain.id.text() + "')");
        for (const auto& [id, body, headers] : std::vector<std::tuple<std::string, json::object, Headers>>{
                 {"loginWithCredential", credentials(plain.email, plain.password), {}},
                 {"loginWithCredential", credentials(it.person.email, it.person.password), {}},
                 {"verifyLogin", {{"challengeToken", challenge}, {"backupCode", it.person.backup_codes[0]}}, {}},
                 {"refreshTokens", {}, bearer(live.refresh)}})
            for (const Call& call : routes_of(it.service.app(), id, body, headers))
                expect_refused(it.service.call(call.method, call.path, json::serialize(call.body), call.headers), 403,
                               id == "refreshTokens" ? session : login);
        EXPECT_EQ(backup_codes_left(it.service, it.person), "8");
    }
}

TEST(TFA_14, NoPathBypassesThePasswordLockOrTheForcedSetUp) {
    Enrolled it;
    const Person admin = it.service.make_person(Role::admin);
    const Headers admin_caller = bearer(it.service.tokens_of(admin).access);
    ASSERT_EQ(it.service.patch(reset_path(it.person.id.text()), {}, admin_caller).status, 200U);
    const Answer forced = it.service.log_in(it.person);
    EXPECT_TRUE(forced.boolean("data.isRequiredSetup"));
    EXPECT_FALSE(forced.has("data.tokens"));
    Person pending = it.person;
    pending.secret = forced.text("data.secret");
    const std::string challenge = forced.text("data.challengeToken");
    for (const Call& call : routes_of(it.service.app(), "verifyLogin",
                                      {{"challengeToken", challenge}, {"code", it.service.next_code(pending)}}, {}))
        expect_refused(it.service.call(call.method, call.path, json::serialize(call.body), {}), 400,
                       "twoFactorRequiredSetup");
    EXPECT_EQ(it.service.live_sessions(it.person), 0U);
    for (int i = 0; i < 5; ++i) it.service.log_in(it.person.email, wrong_password);
    for (const Call& call :
         routes_of(it.service.app(), "loginWithCredential", credentials(it.person.email, it.person.password), {}))
        expect_refused(it.service.call(call.method, call.path, json::serialize(call.body), {}), 403,
                       "passwordAttemptMax");
}

TEST(REC_6, OnlyAnAdminResetsAndNeverUpwardsOrThemselves) {
    Enrolled it;
    Service& service = it.service;
    const Person other = service.make_person();
    Person admin = service.make_person(Role::admin);
    Person super = service.make_person(Role::super_admin);
    const Headers admin_caller = bearer(service.turn_two_factor_on(admin).access);
    const Headers super_caller = bearer(service.turn_two_factor_on(super).access);
    const auto all_sealed = [&] {
        return std::array{sealed(service, it.person), sealed(service, admin), sealed(service, super)};
    };
    const auto before = all_sealed();
    const std::string target = it.person.id.text();
    expect_refused(service.patch(reset_path(target), {}), 401, "jwtAccessTokenInvalid");
    expect_refused(service.patch(reset_path(target), {}, bearer(service.tokens_of(other).access)), 403, "forbidden");
    expect_refused(service.patch(reset_path(target), {}, bearer(it.tokens.access)), 403, "forbidden");
    expect_refused(service.patch(reset_path("0190a000-0000-7000-8000-000000000000"), {}, admin_caller), 404,
                   "notFound");
    expect_refused(service.patch(reset_path("not-an-id"), {}, admin_caller), 400, "validation");
    expect_refused(service.patch(reset_path(other.id.text()), {}, admin_caller), 400, "twoFactorNotEnabled");
    expect_refused(service.patch(reset_path(admin.id.text()), {}, admin_caller), 400, "notSelf");
    expect_refused(service.patch(reset_path(super.id.text()), {}, admin_caller), 403, "forbidden");
    EXPECT_EQ(all_sealed(), before);
    EXPECT_TRUE(sealed(service, other).empty());
    EXPECT_EQ(service.patch(reset_path(admin.id.text()), {}, super_caller).status, 200U);
}

TEST(REC_6, TheAdminSeesNoSecretAndPicksNone) {
    Enrolled it;
    const Person admin = it.service.make_person(Role::admin);
    const Headers caller = bearer(it.service.tokens_of(admin).access);
    for (const char* name : {"secret", "code", "password", "enabled"})
        EXPECT_TRUE(it.service.patch(reset_path(it.person.id.text()), {{name, "x"}}, caller)
                        .violates(name, "whitelistValidation"));
    const Answer reset = it.service.patch(reset_path(it.person.id.text()), {}, caller);
    EXPECT_EQ(reset.status, 200U);
    EXPECT_FALSE(reset.has("data"));
    // The reset ends all sessions and removes the secret and the backup codes. Two-factor stays on and requires a new
    // set-up.
    expect_refused(it.service.get("/api/user/2fa/status", bearer(it.tokens.access)), 401, "jwtAccessTokenInvalid");
    EXPECT_EQ(sealed(it.service, it.person), (std::vector<std::vector<std::string>>{{"", "", "1", "1"}}));
    EXPECT_EQ(backup_codes_left(it.service, it.person), "0");
    // A second reset also succeeds.
    EXPECT_EQ(it.service.patch(reset_path(it.person.id.text()), {}, caller).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
