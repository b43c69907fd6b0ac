// The permissions of every operation: one row per operation, one column per kind of caller (AUT-1). A route that is
// missing from the table fails the test.
#include <array>
#include <set>

#include "app/app.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

enum Caller { nobody, garbage, user, admin, revoked, inactive, pending };
constexpr std::array caller_names{"no credentials", "garbage", "user", "admin", "revoked", "inactive", "2FA pending"};

struct Row {
    std::string id;
    std::string method;
    std::string path;
    std::array<unsigned, caller_names.size()> expected;  // indexed by Caller
};

// Requests have no body. An admitted request to an operation that requires one therefore fails validation.
const std::vector<Row>& table() {
    using Statuses = std::array<unsigned, caller_names.size()>;
    const auto open_to_all = [](unsigned status) {
        return Statuses{status, status, status, status, status, status, status};
    };
    const auto signed_in = [](unsigned of_user, unsigned of_admin) {
        return Statuses{401, 401, of_user, of_admin, 401, 403, 401};
    };
    const std::string absent = "01890000-0000-7000-8000-000000000000";
    static const std::vector<Row> rows{
        {"hello", "GET", "/api/hello", open_to_all(200)},
        {"ready", "GET", "/api/health", open_to_all(200)},
        {"live", "GET", "/api/health/live", open_to_all(200)},
        {"checkDatabaseHealth", "GET", "/api/system/health/database", open_to_all(401)},
        {"checkAwsHealth", "GET", "/api/system/health/aws", open_to_all(401)},
        {"checkThirdPartyHealth", "GET", "/api/system/health/third-party", open_to_all(401)},
        {"checkInstanceHealth", "GET", "/api/system/health/instance", open_to_all(401)},
        {"documentation", "GET", "/docs/json", open_to_all(200)},
        {"documentationPage", "GET", "/docs", open_to_all(200)},
        {"documentationStyle", "GET", "/docs/assets/docs.css", open_to_all(200)},
        {"documentationProgram", "GET", "/docs/assets/docs.js", open_to_all(200)},
        {"documentationReader", "GET", "/docs/assets/document.js", open_to_all(200)},
        {"documentationRequests", "GET", "/docs/assets/requests.js", open_to_all(200)},
        {"documentationViews", "GET", "/docs/assets/views.js", open_to_all(200)},
        {"favicon", "GET", "/favicon.ico", open_to_all(200)},
        {"metrics", "GET", "/metrics", open_to_all(200)},
        {"jwks", "GET", "/.well-known/jwks.json", open_to_all(200)},
        {"loginWithCredential", "POST", "/api/user/login/credential", open_to_all(422)},
        // No caller sends an identity token.
        {"loginWithGoogle", "POST", "/api/user/login/social/google", open_to_all(401)},
        {"loginWithApple", "POST", "/api/user/login/social/apple", open_to_all(401)},
        {"verifyLogin", "POST", "/api/user/login/2fa", open_to_all(422)},
        {"enableTwoFactorAtLogin", "POST", "/api/public/user/login/2fa/enable", open_to_all(422)},
        // No caller sends a refresh token.
        {"refreshTokens", "POST", "/api/shared/user/refresh", open_to_all(401)},
        {"logout", "POST", "/api/shared/user/logout", signed_in(200, 200)},
        {"listSessions", "GET", "/api/shared/user/session/list", signed_in(200, 200)},
        {"revokeSession", "DELETE", "/api/shared/user/session/revoke/" + absent, signed_in(404, 404)},
        {"confirmSession", "POST", "/api/shared/user/session/confirm", signed_in(422, 422)},
        {"listActivity", "GET", "/api/shared/user/activity-log/list", signed_in(200, 200)},
        {"listActivityOfUser", "GET", "/api/admin/user/" + absent + "/activity-log/list", signed_in(403, 404)},
        {"twoFactorStatus", "GET", "/api/shared/user/2fa/status", signed_in(200, 200)},
        {"setUpTwoFactor", "POST", "/api/user/2fa/setup", signed_in(200, 200)},
        {"enableTwoFactor", "POST", "/api/user/2fa/confirm", signed_in(422, 422)},
        {"regenerateBackupCodes", "POST", "/api/user/2fa/backup/regenerate", signed_in(400, 400)},
        {"disableTwoFactor", "DELETE", "/api/user/2fa", signed_in(400, 400)},
        {"resetTwoFactor", "PATCH", "/api/admin/user/update/" + absent + "/2fa/reset", signed_in(403, 404)},
        {"listRoles", "GET", "/api/admin/role/list", signed_in(403, 200)},
        {"getRole", "GET", "/api/admin/role/get/" + absent, signed_in(403, 404)},
        {"createRole", "POST", "/api/admin/role/create", signed_in(403, 422)},
        {"updateRole", "PUT", "/api/admin/role/update/" + absent, signed_in(403, 422)},
        {"deleteRole", "DELETE", "/api/admin/role/delete/" + absent, signed_in(403, 404)},
        {"listRolesForSystem", "GET", "/api/system/role/list", open_to_all(401)},
        {"getRoleAbilities", "GET", "/api/system/role/get/" + absent + "/abilities", open_to_all(401)},
        {"listUsers", "GET", "/api/admin/user/list", signed_in(403, 200)},
        {"getUser", "GET", "/api/admin/user/get/" + absent, signed_in(403, 404)},
        {"createUser", "POST", "/api/admin/user/create", signed_in(403, 422)},
        {"updateUserStatus", "PATCH", "/api/admin/user/update/" + absent + "/status", signed_in(403, 422)},
        {"updateUserRole", "PUT", "/api/admin/user/update/" + absent + "/role", signed_in(403, 422)},
        {"updateUserPassword", "PUT", "/api/admin/user/update/" + absent + "/password", signed_in(403, 404)},
        {"listSessionsOfUser", "GET", "/api/admin/user/" + absent + "/session/list", signed_in(403, 404)},
        {"revokeSessionOfUser", "DELETE", "/api/admin/user/" + absent + "/session/revoke/" + absent,
         signed_in(403, 404)},
        {"exportUsers", "POST", "/api/admin/user/export", signed_in(403, 200)},
        {"importUsers", "POST", "/api/admin/user/import", signed_in(403, 422)},
        {"listUsersForSystem", "GET", "/api/system/user/list", open_to_all(401)},
        {"checkUsername", "POST", "/api/system/user/check/username", open_to_all(401)},
        {"checkEmail", "POST", "/api/system/user/check/email", open_to_all(401)},
        {"listApiKeys", "GET", "/api/admin/api-key/list", signed_in(403, 200)},
        {"createApiKey", "POST", "/api/admin/api-key/create", signed_in(403, 422)},
        {"resetApiKey", "PATCH", "/api/admin/api-key/update/" + absent + "/reset", signed_in(403, 404)},
        {"updateApiKey", "PUT", "/api/admin/api-key/update/" + absent, signed_in(403, 422)},
        {"updateApiKeyDate", "PUT", "/api/admin/api-key/update/" + absent + "/date", signed_in(403, 422)},
        {"updateApiKeyStatus", "PATCH", "/api/admin/api-key/update/" + absent + "/status", signed_in(403, 422)},
        {"deleteApiKey", "DELETE", "/api/admin/api-key/delete/" + absent, signed_in(403, 404)},
        {"listFeatureFlags", "GET", "/api/admin/feature-flag/list", signed_in(403, 200)},
        {"updateFeatureFlagStatus", "PATCH", "/api/admin/feature-flag/update/" + absent + "/status",
         signed_in(403, 422)},
        {"updateFeatureFlagMetadata", "PUT", "/api/admin/feature-flag/update/" + absent + "/metadata",
         signed_in(403, 422)},
        {"listFeatureFlagsForSystem", "GET", "/api/system/feature-flag/list", open_to_all(401)},
        // No caller uses a signed address.
        {"fileUpload", "PUT", "/files/private/a.hbs", open_to_all(403)},
        {"fileDownload", "GET", "/files/private/a.hbs", open_to_all(403)},
        {"filePublic", "GET", "/files/public/a.hbs", open_to_all(404)},
        {"forwardAuth", "GET", "/api/forward-auth", signed_in(200, 200)},
        {"forwardAuthByPath", "GET", "/api/forward-auth/orders", signed_in(200, 200)},
        {"changePassword", "PATCH", "/api/shared/user/change-password", signed_in(422, 422)},
        {"signUp", "POST", "/api/public/user/sign-up", open_to_all(422)},
        {"verifyEmail", "PATCH", "/api/public/user/verify/email", open_to_all(422)},
        {"sendVerificationEmail", "POST", "/api/public/user/send/email", open_to_all(422)},
        {"forgotPassword", "POST", "/api/public/user/password/forgot", open_to_all(422)},
        {"resetPassword", "PUT", "/api/public/user/password/reset", open_to_all(422)},
        {"getProfile", "GET", "/api/shared/user/profile", signed_in(200, 200)},
        {"updateProfile", "PUT", "/api/shared/user/profile", signed_in(200, 200)},
        // The token is optional, but Consentry verifies a token that is sent.
        {"listTermPolicies", "GET", "/api/public/term-policy/list", Statuses{200, 401, 200, 200, 401, 403, 401}},
        {"listTermPoliciesForAdmins", "GET", "/api/admin/term-policy/list", signed_in(403, 200)},
        {"presignTermPolicyContent", "POST", "/api/admin/term-policy/generate/content/presign", signed_in(403, 422)},
        {"createTermPolicy", "POST", "/api/admin/term-policy/create", signed_in(403, 422)},
        {"addTermPolicyContent", "PUT", "/api/admin/term-policy/update/" + absent + "/content/add",
         signed_in(403, 422)},
        {"updateTermPolicyContent", "PUT", "/api/admin/term-policy/update/" + absent + "/content/update",
         signed_in(403, 422)},
        {"removeTermPolicyContent", "DELETE", "/api/admin/term-policy/update/" + absent + "/content/remove",
         signed_in(403, 422)},
        {"getTermPolicyContent", "POST", "/api/admin/term-policy/get/" + absent + "/content/en", signed_in(403, 404)},
        {"publishTermPolicy", "PATCH", "/api/admin/term-policy/publish/" + absent, signed_in(403, 404)},
        {"deleteTermPolicy", "DELETE", "/api/admin/term-policy/delete/" + absent, signed_in(403, 404)},
        {"getTermPolicyDiff", "GET", "/api/public/term-policy/diff/privacy/1/2", open_to_all(404)},
        {"getTermPolicyProcessing", "GET", "/api/public/term-policy/processing/privacy/1", open_to_all(404)},
        {"updateTermPolicyProcessing", "PUT", "/api/admin/term-policy/update/" + absent + "/processing",
         signed_in(403, 404)},
        {"getConsentRecord", "GET", "/api/shared/user/term-policy/record/" + absent, signed_in(404, 404)},
        {"getTermPolicyPublication", "GET", "/api/public/term-policy/publication/privacy/1", open_to_all(404)},
        {"previewTermPolicyImpact", "GET", "/api/admin/term-policy/impact/" + absent, signed_in(403, 404)},
        {"acceptTermPolicy", "POST", "/api/shared/user/term-policy/accept", signed_in(422, 422)},
        {"withdrawTermPolicy", "POST", "/api/shared/user/term-policy/withdraw", signed_in(422, 422)},
        {"listAcceptedTermPolicies", "GET", "/api/shared/user/term-policy/list/accepted", signed_in(200, 200)},
        {"getConsentReceipt", "GET", "/api/shared/user/term-policy/receipt/" + absent, signed_in(404, 404)},
        {"getConsentProof", "GET", "/api/shared/user/term-policy/receipt/" + absent + "/proof", signed_in(404, 404)},
        {"administrationLogCheckpoint", "GET", "/consent-log/administration/checkpoint", open_to_all(200)},
        {"consentLogCheckpoint", "GET", "/consent-log/checkpoint", open_to_all(200)},
        {"consentLogTile", "GET", "/consent-log/tile/0/000", open_to_all(404)},
        {"consentLogTimestamp", "GET", "/consent-log/timestamps/1.tsr", open_to_all(404)},
        {"consentLogDescription", "GET", "/.well-known/consent-log", open_to_all(200)},
        {"consentLogDescriptionNote", "GET", "/.well-known/consent-log.note", open_to_all(200)},
        {"consentLogVerifier", "GET", "/consent-log/verify", open_to_all(200)},
        {"exportAccount", "GET", "/api/shared/user/export", signed_in(200, 200)},
        {"exportConsentLog", "GET", "/api/admin/consent/export", signed_in(403, 200)},
        {"deleteSelf", "DELETE", "/api/user/user/delete/self", signed_in(204, 403)},
    };
    return rows;
}

std::string literal(const UserId& id) { return "'" + id.text() + "'"; }

struct Callers {
    explicit Callers(Service& service) {
        const Person plain = service.make_person();
        const Person chief = service.make_person(Role::admin);
        const Person dormant = service.make_person();
        Person careful = service.make_person();
        tokens[garbage] = "eyJhbGciOiJFUzI1NiJ9.e30.AAAA";
        tokens[user] = service.tokens_of(plain).access;
        tokens[admin] = service.tokens_of(chief).access;
        tokens[revoked] = service.tokens_of(plain).access;
        service.post("/api/shared/user/logout", {}, bearer(tokens[revoked]));
        tokens[inactive] = service.tokens_of(dormant).access;
        service.sql("UPDATE users SET status = 'inactive' WHERE id = " + literal(dormant.id));
        service.turn_two_factor_on(careful);
        tokens[pending] = service.challenge_of(careful);
    }
    Headers headers(std::size_t caller) const { return caller == nobody ? Headers{} : bearer(tokens.at(caller)); }
    std::array<std::string, caller_names.size()> tokens;
};

TEST(AUT_1, TheTableHoldsEveryOperation) {
    Service& service = suite_service();
    std::set<std::string> declared;
    for (const auto& operation : service.app().router().operations()) declared.insert(operation->id);
    std::set<std::string> written;
    for (const Row& row : table()) EXPECT_TRUE(written.insert(row.id).second) << row.id;
    EXPECT_EQ(written, declared) << "write down who may call the new operation";
    for (const Row& row : table()) {
        const auto method = row.method == "GET"     ? http::Method::get
                            : row.method == "POST"  ? http::Method::post
                            : row.method == "PUT"   ? http::Method::put
                            : row.method == "PATCH" ? http::Method::patch
                                                    : http::Method::delete_;
        const auto match = service.app().router().find(method, row.path);
        ASSERT_NE(match.operation, nullptr) << row.path;
        EXPECT_EQ(match.operation->id, row.id);
    }
}

// Each operation gets its own callers, so that a logout does not affect the next row.
class PermissionTable : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PermissionTable, AUT_1) {
    const Row& row = table().at(GetParam());
    Service& service = suite_service();
    const Callers callers(service);
    for (std::size_t caller = 0; caller < caller_names.size(); ++caller) {
        const Answer answer = service.call(row.method, row.path, {}, callers.headers(caller));
        EXPECT_EQ(answer.status, row.expected[caller])
            << row.id << " by " << caller_names[caller] << ": " << answer.body;
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, PermissionTable, ::testing::Range(std::size_t{0}, table().size()),
                         [](const auto& parameter) { return table().at(parameter.param).id; });

TEST(AUT_1, EveryAliasHasTheGuardOfItsOperation) {
    Service& service = suite_service();
    const Callers callers(service);
    std::size_t asked = 0;
    for (const auto& operation : service.app().router().operations()) {
        if (operation->access.name == "public") continue;
        auto methods = operation->other_methods;
        methods.push_back(operation->method);
        for (std::string path : service.app().router().full_paths(*operation))
            for (const auto method : methods) {
                if (const auto colon = path.find(':'); colon != std::string::npos) {
                    const auto end = std::min(path.find('/', colon), path.size());
                    path.replace(colon, end - colon, "01890000-0000-7000-8000-000000000000");
                }
                for (const Caller caller : {nobody, garbage, revoked, pending}) {
                    EXPECT_EQ(service.call(name_of(method), path, {}, callers.headers(caller)).status, 401U)
                        << path << " by " << caller_names[caller];
                    ++asked;
                }
            }
    }
    EXPECT_GT(asked, 150U);
}

TEST(AUT_1, AStrangerLearnsNothingOfARequestsForm) {
    const Service& service = suite_service();
    // The guard runs before validation, so every body gets the same 401.
    for (const std::string body : {"", "{}", "{", "[]", R"({"code":1})"}) {
        const Answer answer = service.call("POST", "/api/user/2fa/confirm", body);
        EXPECT_EQ(answer.status, 401U) << body;
        EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer");
    }
}

TEST(AUT_4, RoleAndStatusActAtTheNextRequest) {
    Service service;
    const Person person = service.make_person(Role::admin);
    const auto tokens = service.tokens_of(person);
    const std::string path = "/api/admin/user/update/01890000-0000-7000-8000-000000000000/2fa/reset";
    const auto ask = [&] { return service.patch(path, {}, bearer(tokens.access)).status; };
    EXPECT_EQ(ask(), 404U);
    const auto give = [&](Role role) {
        service.sql("UPDATE users SET role_id = '" + built_in_role(role).text() + "' WHERE id = " + literal(person.id));
    };
    give(Role::user);
    EXPECT_EQ(ask(), 403U);
    give(Role::super_admin);
    EXPECT_EQ(ask(), 404U);
    service.sql("UPDATE users SET status = 'inactive' WHERE id = " + literal(person.id));
    EXPECT_EQ(ask(), 403U);
}

}  // namespace
}  // namespace consentry::tests
