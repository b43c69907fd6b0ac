// Changes that need more than a stolen session: which callers may make them, and how they prove their identity again.
#include <algorithm>
#include <map>
#include <set>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/role_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* confirm_path = "/api/shared/user/session/confirm";
constexpr std::chrono::minutes fresh_time{5};

// Every operation of signed-in callers that changes something, and the proof it requires besides the session.
enum class Asks {
    fresh,    // a proof within the last five minutes
    factor,   // the second factor if it is on; otherwise nothing more
    proof,    // a password or code in the body
    session,  // nothing more: the harm is limited, or the operation has its own guard
};
const std::map<std::string, Asks>& proofs_asked() {
    static const std::map<std::string, Asks> rows{
        {"setUpTwoFactor", Asks::fresh},
        {"enableTwoFactor", Asks::proof},
        {"regenerateBackupCodes", Asks::fresh},
        {"disableTwoFactor", Asks::proof},
        {"changePassword", Asks::proof},
        {"confirmSession", Asks::proof},
        {"deleteSelf", Asks::factor},
        {"createApiKey", Asks::fresh},
        {"resetApiKey", Asks::fresh},
        {"updateApiKey", Asks::fresh},
        {"updateApiKeyDate", Asks::fresh},
        {"updateApiKeyStatus", Asks::fresh},
        {"deleteApiKey", Asks::fresh},
        {"createRole", Asks::fresh},
        {"updateRole", Asks::fresh},
        {"deleteRole", Asks::fresh},
        {"updateUserRole", Asks::fresh},
        // A new account can be given the rights of its creator, who alone would hear of it.
        {"createUser", Asks::fresh},
        {"importUsers", Asks::fresh},
        // A change to a single account can be undone, and Consentry informs its owner.
        {"updateUserStatus", Asks::session},
        {"updateUserPassword", Asks::session},
        {"resetTwoFactor", Asks::session},
        {"revokeSessionOfUser", Asks::session},
        {"exportUsers", Asks::session},
        {"updateFeatureFlagStatus", Asks::session},
        {"updateFeatureFlagMetadata", Asks::session},
        {"presignTermPolicyContent", Asks::session},
        {"createTermPolicy", Asks::session},
        {"addTermPolicyContent", Asks::session},
        {"updateTermPolicyContent", Asks::session},
        {"removeTermPolicyContent", Asks::session},
        {"updateTermPolicyProcessing", Asks::session},
        {"getTermPolicyContent", Asks::session},
        {"publishTermPolicy", Asks::session},
        {"deleteTermPolicy", Asks::session},
        // These affect only the caller.
        {"logout", Asks::session},
        {"revokeSession", Asks::session},
        {"updateProfile", Asks::session},
        {"acceptTermPolicy", Asks::session},
        {"withdrawTermPolicy", Asks::session},
        // These accept any method but change nothing.
        {"forwardAuth", Asks::session},
        {"forwardAuthByPath", Asks::session},
    };
    return rows;
}

bool contains(const std::vector<const ErrorKind*>& kinds, const ErrorKind& kind) {
    return std::ranges::find(kinds, &kind) != kinds.end();
}

TEST(Freshness, EveryChangeSaysWhetherItAsksForAFreshProof) {
    Service& service = suite_service();
    std::set<std::string> seen;
    for (const auto& operation : service.app().router().operations()) {
        if (operation->access.security_scheme != "accessToken") continue;
        if (operation->method == http::Method::get && !operation->any_method) continue;
        const auto row = proofs_asked().find(operation->id);
        ASSERT_NE(row, proofs_asked().end()) << operation->id << ": write down whether it asks for a fresh proof";
        seen.insert(operation->id);
        EXPECT_EQ(contains(operation->access.errors, errors::fresh_login_required), row->second == Asks::fresh)
            << operation->id << ": the guard's type says otherwise";
        EXPECT_FALSE(contains(operation->errors, errors::fresh_login_required)) << operation->id << " asks unseen";
    }
    for (const auto& [id, asks] : proofs_asked()) EXPECT_TRUE(seen.contains(id)) << id << " is no such operation";
}

struct Attempt {
    std::string id;
    std::string method;
    std::string path;
    json::object body = {};
};

std::vector<Attempt> attempts() {
    const std::string absent = absent_id;
    return {{"setUpTwoFactor", "POST", "/api/user/2fa/setup"},
            {"regenerateBackupCodes", "POST", "/api/user/2fa/backup/regenerate"},
            {"createApiKey", "POST", "/api/admin/api-key/create", {{"name", "k"}, {"type", "default"}}},
            {"resetApiKey", "PATCH", "/api/admin/api-key/update/" + absent + "/reset"},
            {"updateApiKey", "PUT", "/api/admin/api-key/update/" + absent, {{"name", "k"}}},
            {"updateApiKeyDate",
             "PUT",
             "/api/admin/api-key/update/" + absent + "/date",
             {{"startAt", "2030-01-01T00:00:00.000Z"}, {"endAt", "2030-01-02T00:00:00.000Z"}}},
            {"updateApiKeyStatus", "PATCH", "/api/admin/api-key/update/" + absent + "/status", {{"isActive", false}}},
            {"deleteApiKey", "DELETE", "/api/admin/api-key/delete/" + absent},
            {"createRole",
             "POST",
             "/api/admin/role/create",
             {{"name", "fresh"}, {"type", "user"}, {"abilities", json::array{}}}},
            {"updateRole", "PUT", "/api/admin/role/update/" + absent, {{"type", "user"}, {"abilities", json::array{}}}},
            {"deleteRole", "DELETE", "/api/admin/role/delete/" + absent},
            {"updateUserRole", "PUT", "/api/admin/user/update/" + absent + "/role", {{"roleId", built_in(Role::user)}}},
            {"createUser",
             "POST",
             "/api/admin/user/create",
             {{"email", "accomplice@example.org"}, {"roleId", built_in(Role::super_admin)}}},
            {"importUsers", "POST", "/api/admin/user/import"}};
}

TEST(Freshness, AnOldSessionIsNotEnoughForWhatAsksForAFreshProof) {
    Staff staff;
    std::size_t fresh = 0;
    for (const auto& [id, asks] : proofs_asked()) fresh += asks == Asks::fresh ? 1 : 0;
    ASSERT_EQ(attempts().size(), fresh);
    const auto too_old = errors::fresh_login_required.service_code;
    const auto ask = [&](const Attempt& attempt) {
        return staff.service.call(attempt.method, attempt.path,
                                  attempt.body.empty() ? std::string() : json::serialize(attempt.body),
                                  bearer(staff.chief));
    };
    staff.service.pass(fresh_time - milliseconds{1});
    for (const Attempt& attempt : attempts())
        EXPECT_NE(ask(attempt).number("statusCode"), too_old) << attempt.id << " is asked for in time";
    staff.service.pass(milliseconds{1});
    for (const Attempt& attempt : attempts()) expect_refused(ask(attempt), errors::fresh_login_required, attempt.id);
    const Answer confirmed = staff.service.post(confirm_path, {{"password", right_password}}, bearer(staff.chief));
    ASSERT_EQ(confirmed.status, 200U);
    staff.chief = confirmed.text("data.accessToken");
    for (const Attempt& attempt : attempts())
        EXPECT_NE(ask(attempt).number("statusCode"), too_old) << attempt.id << " after the confirmation";
    staff.service.pass(fresh_time);
    for (const Attempt& attempt : attempts()) expect_refused(ask(attempt), errors::fresh_login_required, attempt.id);
}

TEST(Freshness, ARefreshIsNoProofOfWhoOneIs) {
    Service& service = suite_service();
    const TokenTexts tokens = service.tokens_of(service.make_person());
    service.pass(fresh_time);
    const Answer refreshed = service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh));
    ASSERT_EQ(refreshed.status, 200U);
    expect_refused(service.post("/api/user/2fa/setup", {}, bearer(refreshed.text("data.accessToken"))),
                   errors::fresh_login_required);
}

TEST(Freshness, AClockThatIsPutBackKeepsNoProofFresh) {
    Service service;
    const Person ada = service.make_person();
    Headers caller = bearer(service.tokens_of(ada).access);
    service.clock().advance(std::chrono::minutes{50});
    const auto confirm = [&] {
        const Answer answer = service.post(confirm_path, {{"password", ada.password}}, caller);
        if (answer.status == 200) caller = bearer(answer.text("data.accessToken"));
        return answer;
    };
    const auto set_up = [&] { return service.post("/api/user/2fa/setup", {}, caller); };
    ASSERT_EQ(confirm().status, 200U);
    service.clock().step(-seconds{30});  // as another instance, whose clock is behind
    EXPECT_EQ(set_up().status, 200U);
    service.clock().step(-std::chrono::minutes{40});
    service.clock().advance(fresh_time + std::chrono::minutes{1});
    expect_refused(set_up(), errors::fresh_login_required);
    ASSERT_EQ(confirm().status, 200U);
    EXPECT_EQ(set_up().status, 200U);
}

TEST(Confirmation, IsOfOneSessionAlone) {
    Service& service = suite_service();
    const Person ada = service.make_person();
    const std::string one = service.tokens_of(ada).access;
    const std::string other = service.tokens_of(ada).access;
    service.pass(fresh_time);
    const Answer confirmed = service.post(confirm_path, {{"password", ada.password}}, bearer(one));
    ASSERT_EQ(confirmed.status, 200U);
    expect_refused(service.post("/api/user/2fa/setup", {}, bearer(other)), errors::fresh_login_required);
    EXPECT_EQ(service.post("/api/user/2fa/setup", {}, bearer(confirmed.text("data.accessToken"))).status, 200U);
}

TEST(Confirmation, ActsAtTheNextRequestWithTrustedCopiesToo) {
    Service service({{"SESSION_CHECK", "cache"}});
    const Person ada = service.make_person();
    const Headers caller = bearer(service.tokens_of(ada).access);
    service.pass(fresh_time);
    expect_refused(service.post("/api/user/2fa/setup", {}, caller), errors::fresh_login_required);
    const Answer confirmed = service.post(confirm_path, {{"password", ada.password}}, caller);
    ASSERT_EQ(confirmed.status, 200U);
    EXPECT_EQ(service.post("/api/user/2fa/setup", {}, bearer(confirmed.text("data.accessToken"))).status, 200U);
    expect_refused(service.post("/api/user/2fa/setup", {}, caller), errors::jwt_access_token_invalid);
}

// An attacker who copied the tokens from before must not gain what the owner proves (SES-4).
TEST(SES_4, AConfirmationReplacesTheTokens) {
    Service& service = suite_service();
    Person ada = service.make_person();
    const std::string other = service.turn_two_factor_on(ada).access;
    const Answer login = service.verify(service.challenge_of(ada), service.next_code(ada));
    const std::string stolen = login.text("data.tokens.accessToken");
    service.pass(fresh_time);
    expect_refused(service.post("/api/user/2fa/backup/regenerate", {}, bearer(stolen)), errors::fresh_login_required);
    const Answer confirmed = service.post(confirm_path, {{"backupCode", ada.backup_codes[0]}}, bearer(stolen));
    ASSERT_EQ(confirmed.status, 200U) << confirmed.body;
    expect_refused(service.post("/api/user/2fa/backup/regenerate", {}, bearer(stolen)),
                   errors::jwt_access_token_invalid);
    EXPECT_EQ(service.get("/api/user/2fa/status", bearer(other)).status, 200U) << "another session";
    EXPECT_EQ(service.post("/api/user/2fa/backup/regenerate", {}, bearer(confirmed.text("data.accessToken"))).status,
              201U);
    const Answer next = service.post("/api/shared/user/refresh", {}, bearer(confirmed.text("data.refreshToken")));
    EXPECT_EQ(next.status, 200U);
    EXPECT_EQ(service.get("/api/user/2fa/status", bearer(next.text("data.accessToken"))).status, 200U);
}

TEST(SES_4, AfterAConfirmationTheOldRefreshTokenIsSpent) {
    Service& service = suite_service();
    const Person ada = service.make_person();
    const auto confirm = [&](const TokenTexts& tokens) {
        EXPECT_EQ(service.post(confirm_path, {{"password", ada.password}}, bearer(tokens.access)).status, 200U);
    };
    const auto refresh = [&](const TokenTexts& tokens) {
        return service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh));
    };
    // The answer with the new tokens was lost: within the grace period the old refresh token gets them, several times
    // in a row. But the sender may be a thief, so the confirmation does not count.
    TokenTexts lost = service.tokens_of(ada);
    service.pass(fresh_time);
    for (int i = 0; i < 3; ++i) {
        confirm(lost);
        const Answer again = refresh(lost);
        ASSERT_EQ(again.status, 200U) << again.body;
        lost = {.access = again.text("data.accessToken"), .refresh = again.text("data.refreshToken")};
        expect_refused(service.post("/api/user/2fa/setup", {}, bearer(lost.access)), errors::fresh_login_required);
    }
    // Later it is reuse, which ends the session.
    const TokenTexts late = service.tokens_of(ada);
    const std::size_t before = service.live_sessions(ada);
    confirm(late);
    service.pass(seconds{11});
    expect_refused(refresh(late), errors::jwt_refresh_token_invalid);
    EXPECT_EQ(service.live_sessions(ada), before - 1);
}

TEST(Confirmation, WrongPasswordsOfAConfirmationCountAndLock) {
    Service& service = suite_service();
    const Person ada = service.make_person();
    Headers caller = bearer(service.tokens_of(ada).access);
    service.pass(fresh_time);
    const auto confirm = [&](std::string_view password) {
        Answer answer = service.post(confirm_path, {{"password", password}}, caller);
        if (answer.status == 200) caller = bearer(answer.text("data.accessToken"));
        return answer;
    };
    for (int i = 0; i < 4; ++i) expect_refused(confirm("Wrong-Harbor-42"), errors::password_not_match);
    EXPECT_EQ(confirm(ada.password).status, 200U) << "a right one clears the count";
    service.pass(fresh_time);
    for (int i = 0; i < 5; ++i) expect_refused(confirm("Wrong-Harbor-42"), errors::password_not_match);
    expect_refused(confirm(ada.password), errors::password_attempt_max);
    EXPECT_EQ(service.log_in(ada).code_name(), "passwordAttemptMax") << "together with the failures of logins";
    expect_refused(service.post("/api/user/2fa/setup", {}, caller), errors::fresh_login_required);
}

TEST(Confirmation, WhereTwoFactorIsOnThePasswordAloneConfirmsNothing) {
    Service& service = suite_service();
    Person ada = service.make_person();
    Headers caller = bearer(service.turn_two_factor_on(ada).access);
    service.pass(fresh_time);
    const auto confirm = [&](const json::object& body) {
        Answer answer = service.post(confirm_path, body, caller);
        if (answer.status == 200) caller = bearer(answer.text("data.accessToken"));
        return answer;
    };
    const auto regenerate = [&] { return service.post("/api/user/2fa/backup/regenerate", {}, caller); };
    expect_refused(confirm({{"password", ada.password}}), errors::two_factor_method_required);
    expect_refused(confirm({{"code", wrong_code(service, ada)}}), errors::two_factor_invalid);
    EXPECT_EQ(two_factor_attempt(service, ada), "1");
    expect_refused(regenerate(), errors::fresh_login_required);
    const std::string code = service.next_code(ada);
    EXPECT_EQ(confirm({{"code", code}}).status, 200U);
    EXPECT_EQ(two_factor_attempt(service, ada), "0");
    expect_refused(confirm({{"code", code}}), errors::two_factor_invalid, "a code is good once");
    service.pass(fresh_time);
    expect_refused(regenerate(), errors::fresh_login_required);
    EXPECT_EQ(confirm({{"backupCode", ada.backup_codes[0]}}).status, 200U);
    expect_refused(confirm({{"backupCode", ada.backup_codes[0]}}), errors::two_factor_invalid, "so is a backup code");
    EXPECT_EQ(regenerate().status, 201U);
}

TEST(Confirmation, MeetsTheLockOfTheSecondFactor) {
    Service& service = suite_service();
    Person ada = service.make_person();
    const Headers caller = bearer(service.turn_two_factor_on(ada).access);
    for (int i = 0; i < 5; ++i)
        expect_refused(service.post(confirm_path, {{"code", wrong_code(service, ada, i)}}, caller),
                       errors::two_factor_invalid);
    expect_refused(service.post(confirm_path, {{"code", service.next_code(ada)}}, caller),
                   errors::two_factor_attempt_temporary_lock);
}

TEST(Confirmation, TakesOneProof) {
    Service& service = suite_service();
    const Person ada = service.make_person();
    const Headers caller = bearer(service.tokens_of(ada).access);
    EXPECT_EQ(service.post(confirm_path, {}, caller).status, 422U);
    EXPECT_EQ(service.post(confirm_path, {{"password", ada.password}, {"code", "123456"}}, caller).status, 422U);
    expect_refused(service.post(confirm_path, {{"code", "123456"}}, caller), errors::two_factor_not_enabled);
    service.sql("UPDATE users SET password_hash = NULL WHERE id = '" + ada.id.text() + "'");
    expect_refused(service.post(confirm_path, {{"password", ada.password}}, caller), errors::password_not_set);
    EXPECT_EQ(service.post(confirm_path, {{"password", ada.password}}).status, 401U);
}

TEST(FirstPassword, ComesByTheMailedLinkAlone) {
    Service service;
    const Person ada = newcomer(service, "ada@example.org");
    const Headers caller = bearer(service.tokens_of(ada).access);
    service.sql("UPDATE users SET password_hash = NULL");  // the state of an account that has only used Google
    service.sql("DELETE FROM password_history");
    for (const std::string& old : {std::string("anything"), ada.password})
        expect_refused(service.patch("/api/shared/user/change-password",
                                     {{"oldPassword", old}, {"newPassword", new_password}}, caller),
                       errors::password_not_set);
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE password_hash IS NOT NULL"), "0");
    forget(service, ada.email);
    EXPECT_EQ(reset(service, forgotten_token(service, ada.email), new_password).status, 200U);
    EXPECT_EQ(service.log_in(ada.email, new_password).status, 200U);
}

TEST(Deletion, AsksForTheSecondFactorWhereItIsOn) {
    Service& service = suite_service();
    for (const bool by_backup_code : {false, true}) {
        Person ada = service.make_person();
        const std::string deletions =
            "SELECT count(*) FROM users WHERE deleted_at IS NOT NULL AND id = '" + ada.id.text() + "'";
        const Headers caller = bearer(service.turn_two_factor_on(ada).access);
        const auto erase = [&](const json::object& body) {
            return service.erase("/api/user/user/delete/self", body, caller);
        };
        expect_refused(erase({}), errors::two_factor_method_required);
        EXPECT_EQ(two_factor_attempt(service, ada), "0") << "nothing was tried";
        expect_refused(erase({{"code", wrong_code(service, ada)}}), errors::two_factor_invalid);
        EXPECT_EQ(two_factor_attempt(service, ada), "1");
        expect_refused(erase({{"backupCode", wrong_backup_code}}), errors::two_factor_invalid);
        EXPECT_EQ(erase({{"backupCode", ada.backup_codes[0]}, {"code", "123456"}}).status, 422U);
        EXPECT_EQ(one(service, deletions), "0");
        service.pass(std::chrono::minutes{30});  // the second factor makes a fresh proof unnecessary
        if (by_backup_code)
            EXPECT_EQ(erase({{"backupCode", ada.backup_codes[1]}}).status, 204U);
        else
            EXPECT_EQ(erase({{"code", service.next_code(ada)}}).status, 204U);
        EXPECT_EQ(one(service, deletions), "1");
    }
}

TEST(Deletion, AsksForTheAccessTokenAloneWhereTwoFactorIsOff) {
    Service& service = suite_service();
    const Person ada = service.make_person();
    const Headers caller = bearer(service.tokens_of(ada).access);
    service.pass(fresh_time);
    EXPECT_EQ(service.erase("/api/user/user/delete/self", {}, caller).status, 204U);
    EXPECT_EQ(service.log_in(ada).code_name(), "passwordNotMatch");
}

}  // namespace
}  // namespace consentry::tests
