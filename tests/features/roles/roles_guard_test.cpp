// Tests that every request is checked against the current abilities of the caller's role.
#include <set>

#include "app/app.hpp"
#include "tests/support/calls/role_calls.hpp"

namespace consentry::tests {
namespace {

struct Need {
    std::string method;
    std::string path;
    Abilities abilities;
};

// Every operation that requires abilities, and which ones it requires.
const std::vector<Need>& needs() {
    const std::string id = absent_id;
    static const std::vector<Need> all{
        {"GET", "role/list", {{"role", {"read"}}}},
        {"GET", "role/get/" + id, {{"role", {"read"}}}},
        {"POST", "role/create", {{"role", {"read", "create"}}}},
        {"PUT", "role/update/" + id, {{"role", {"read", "update"}}}},
        {"DELETE", "role/delete/" + id, {{"role", {"read", "delete"}}}},
        {"GET", "api-key/list", {{"apiKey", {"read"}}}},
        {"POST", "api-key/create", {{"apiKey", {"read", "create"}}}},
        {"PATCH", "api-key/update/" + id + "/reset", {{"apiKey", {"read", "update"}}}},
        {"PUT", "api-key/update/" + id, {{"apiKey", {"read", "update"}}}},
        {"PUT", "api-key/update/" + id + "/date", {{"apiKey", {"read", "update"}}}},
        {"PATCH", "api-key/update/" + id + "/status", {{"apiKey", {"read", "update"}}}},
        {"DELETE", "api-key/delete/" + id, {{"apiKey", {"read", "delete"}}}},
        {"GET", "feature-flag/list", {{"featureFlag", {"read"}}}},
        {"PATCH", "feature-flag/update/" + id + "/status", {{"featureFlag", {"read", "update"}}}},
        {"PUT", "feature-flag/update/" + id + "/metadata", {{"featureFlag", {"read", "update"}}}},
        {"PATCH", "user/update/" + id + "/2fa/reset", {{"user", {"read", "update"}}}},
        {"GET", "user/" + id + "/activity-log/list", {{"user", {"read"}}, {"activityLog", {"read"}}}},
        {"GET", "user/list", {{"user", {"read"}}}},
        {"GET", "user/get/" + id, {{"user", {"read"}}}},
        {"POST", "user/create", {{"user", {"read", "create"}}}},
        {"PATCH", "user/update/" + id + "/status", {{"user", {"read", "update"}}}},
        {"PUT", "user/update/" + id + "/role", {{"user", {"read", "update"}}, {"role", {"read"}}}},
        {"PUT", "user/update/" + id + "/password", {{"user", {"read", "update"}}}},
        {"POST", "user/export", {{"user", {"read"}}}},
        {"GET", "consent/export", {{"user", {"read"}}, {"session", {"read"}}, {"termPolicy", {"read"}}}},
        {"POST", "user/import", {{"user", {"read", "create"}}}},
        {"GET", "user/" + id + "/session/list", {{"user", {"read"}}, {"session", {"read"}}}},
        {"GET", "term-policy/list", {{"termPolicy", {"read"}}}},
        {"GET", "term-policy/impact/" + id, {{"termPolicy", {"read"}}}},
        {"POST", "term-policy/get/" + id + "/content/en", {{"termPolicy", {"read"}}}},
        {"POST", "term-policy/generate/content/presign", {{"termPolicy", {"read", "create", "update"}}}},
        {"POST", "term-policy/create", {{"termPolicy", {"read", "create"}}}},
        {"PUT", "term-policy/update/" + id + "/content/add", {{"termPolicy", {"read", "update"}}}},
        {"PUT", "term-policy/update/" + id + "/content/update", {{"termPolicy", {"read", "update"}}}},
        {"PUT", "term-policy/update/" + id + "/processing", {{"termPolicy", {"read", "update"}}}},
        {"DELETE", "term-policy/update/" + id + "/content/remove", {{"termPolicy", {"read", "update"}}}},
        {"PATCH", "term-policy/publish/" + id, {{"termPolicy", {"read", "update"}}}},
        {"DELETE", "term-policy/delete/" + id, {{"termPolicy", {"read", "delete"}}}},
        {"DELETE", "user/" + id + "/session/revoke/" + id, {{"session", {"read", "delete"}}, {"user", {"read"}}}},
    };
    return all;
}

// Returns the abilities without one of their actions, once for each action.
std::vector<Abilities> each_lacking_one(const Abilities& abilities) {
    std::vector<Abilities> out;
    for (std::size_t i = 0; i < abilities.size(); ++i)
        for (std::size_t j = 0; j < abilities[i].second.size(); ++j) {
            Abilities less = abilities;
            less[i].second.erase(less[i].second.begin() + static_cast<std::ptrdiff_t>(j));
            if (less[i].second.empty()) less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
            out.push_back(std::move(less));
        }
    return out;
}

TEST(AUT_1, TheTableHoldsEveryOperationThatAsksForAbilities) {
    Service& service = suite_service();
    std::set<std::string> declared;
    for (const auto& operation : service.app().router().operations())
        if (operation->access.name == "permitted") declared.insert(operation->id);
    std::set<std::string> written;
    for (const Need& need : needs())
        for (const auto method :
             {http::Method::get, http::Method::post, http::Method::put, http::Method::patch, http::Method::delete_})
            if (name_of(method) == need.method)
                written.insert(service.app().router().find(method, "/api/admin/" + need.path).operation->id);
    EXPECT_EQ(written, declared) << "write down which abilities the new operation asks for";
}

Abilities managing(const Abilities& abilities) {
    Abilities out;
    for (const auto& [subject, actions] : abilities) out.push_back({subject, {"manage"}});
    return out;
}

TEST(AUT_1, EveryRequiredAbilityIsRequired) {
    Staff staff(suite_service());
    const std::string role = staff.make_role("admin", {});
    const std::string token = staff.member_of(role);
    for (const Need& need : needs()) {
        const auto ask_with = [&](const std::string& type, const Abilities& abilities) {
            EXPECT_EQ(staff.update(staff.chief, role, type, abilities).status, 200U);
            return staff.call(token, need.method, need.path);
        };
        const std::string what = need.method + " " + need.path + ": ";
        for (const Abilities& less : each_lacking_one(need.abilities))
            expect_refused(ask_with("admin", less), errors::policy_forbidden, what);
        expect_refused(ask_with("user", everything), errors::role_forbidden, what);
        for (const Abilities& enough :
             {need.abilities, everything, managing(need.abilities), Abilities{{"all", need.abilities[0].second}}})
            EXPECT_NE(ask_with("admin", enough).status, 403U) << what;
        EXPECT_NE(ask_with("superAdmin", {}).status, 403U) << what;
    }
}

TEST(AUT_1, AbilitiesOfOtherSubjectsAreOfNoUse) {
    Staff staff(suite_service());
    Abilities others;
    for (const char* subject :
         {"apiKey", "user", "session", "activityLog", "passwordHistory", "termPolicy", "featureFlag", "device"})
        others.push_back({subject, {"manage"}});
    expect_refused(staff.call(staff.admin_with(others), "GET", "role/list"), errors::policy_forbidden);
}

// Copies of sessions in the cache have the type that the role had before. What needs no ability does not depend on it.
TEST(AUT_4, AChangedTypeOfARoleStopsNoMemberFromLookingAfterTheirOwnAccount) {
    Staff staff({{"SESSION_CHECK", "cache"}});
    const std::string role = staff.make_role("user", {});
    const std::string token = staff.member_of(role);
    const auto own = [&](const std::string& method, const std::string& path) {
        return staff.service.call(method, "/api/shared/user/" + path, {}, bearer(token));
    };
    ASSERT_EQ(own("GET", "session/list").status, 200U) << "and is in the cache from now on";
    ASSERT_EQ(staff.update(staff.chief, role, "admin", {}).status, 200U);
    EXPECT_EQ(own("POST", "2fa/setup").status, 200U);
    EXPECT_EQ(own("POST", "logout").status, 200U);
    EXPECT_EQ(own("GET", "session/list").status, 401U) << "a logout that was answered has ended the session";
    EXPECT_EQ(staff.service.sql("SELECT count(*) FROM sessions WHERE revoked_reason = 'logout'")[0][0], "1");
}

TEST(AUT_4, AChangedRoleActsAtTheNextRequestOfEverybodyWhoHasIt) {
    Staff staff(suite_service());
    const std::string role = staff.make_role("admin", {{"role", {"read"}}});
    const std::vector<std::string> tokens{staff.member_of(role), staff.member_of(role)};
    const auto all_get = [&](unsigned status) {
        for (const std::string& token : tokens) {
            const Answer answer = staff.call(token, "GET", "role/list");
            EXPECT_EQ(answer.status, status) << answer.body;
        }
    };
    all_get(200);
    ASSERT_EQ(staff.update(staff.chief, role, "admin", {{"user", {"read"}}}).status, 200U);
    all_get(403);
    ASSERT_EQ(staff.update(staff.chief, role, "superAdmin", {}).status, 200U);
    all_get(200);
    ASSERT_EQ(staff.update(staff.chief, role, "user", everything).status, 200U);
    all_get(403);
}

TEST(AUT_4, AnotherRoleActsAtTheNextRequest) {
    Staff staff(suite_service());
    const Person person = staff.service.make_person();
    const std::string token = staff.service.tokens_of(person).access;
    const std::vector<std::pair<std::string, unsigned>> given{{staff.make_role("admin", {{"role", {"read"}}}), 200},
                                                              {staff.make_role("admin", {{"user", {"read"}}}), 403},
                                                              {built_in(Role::super_admin), 200},
                                                              {built_in(Role::user), 403},
                                                              {built_in(Role::admin), 200}};
    for (const auto& [role, status] : given) {
        staff.give(person, role);
        EXPECT_EQ(staff.call(token, "GET", "role/list").status, status);
    }
}

TEST(AUT_4, AnAccountWithoutARoleIsNobodys) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    service.sql("UPDATE users SET role_id = NULL WHERE id = '" + person.id.text() + "'");
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(tokens.access)).status, 401U);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 401U);
    EXPECT_EQ(service.log_in(person).status, 400U);
}

TEST(AUT_4, AbilitiesThatTheProgramDoesNotKnowLetNobodyIn) {
    Staff staff;  // it leaves a role that the program cannot read, and other tests list the roles
    const std::string role = staff.make_role("admin", everything);
    const std::string token = staff.member_of(role);
    for (const char* stored : {R"([{"subject":"everything","action":["read"]}])", R"([{"subject":"all"}])",
                               R"([{"subject":"all","action":["manage"],"unless":"night"}])", R"({})", "[", ""}) {
        staff.service.sql(std::string("UPDATE roles SET abilities = '") + stored + "' WHERE id = '" + role + "'");
        EXPECT_EQ(staff.call(token, "GET", "role/list").status, 500U) << stored;
    }
}

TEST(SES_7, WhoBecomesAnAdminHasAnAdminsSession) {
    Staff staff;
    const Person person = staff.service.make_person();
    const auto tokens = staff.service.tokens_of(person);
    staff.service.pass(std::chrono::hours{25});
    const Answer refreshed = staff.service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh));
    ASSERT_EQ(refreshed.status, 200U) << "a user's session goes on";
    const std::string access = refreshed.text("data.accessToken");
    EXPECT_EQ(staff.service.get("/api/shared/user/2fa/status", bearer(access)).status, 200U);
    staff.give(person, built_in(Role::admin));
    EXPECT_EQ(staff.service.get("/api/shared/user/2fa/status", bearer(access)).status, 401U)
        << "an admin's ends within a day of the login";
    const std::string again = staff.service.tokens_of(person).access;
    const Answer list = staff.service.get("/api/shared/user/session/list", bearer(again));
    ASSERT_EQ(list.status, 200U) << list.body;
    EXPECT_EQ(list.json.at("data").as_array().size(), 1U) << "and is not listed";
}

}  // namespace
}  // namespace consentry::tests
