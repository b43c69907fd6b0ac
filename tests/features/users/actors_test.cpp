// Between a guard's decision and the commit, the caller may lose their rights; the change then has no effect. Of
// several super admins who demote each other concurrently, at least one remains.
#include <functional>

#include "app/app.hpp"
#include "tests/support/admitted.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/calls/role_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

// A guard that requires abilities, so the transaction also verifies that the role's abilities are unchanged.
using Chief = Permitted<Subject::role, Action::read, Action::create, Action::update, Action::erase>;

std::string quoted(const std::string& text) { return "'" + text + "'"; }

// Returns the name of the error, or an empty string after success.
template <class T>
std::string error_of(const Result<T>& result) {
    return result ? std::string() : std::string(result.error().kind().name);
}

// An admin with all rights, and what the changes below concern, on the service of `staff`. Of the cookie policy, this
// takes the given version and the next.
struct ActorWorld {
    explicit ActorWorld(Staff& its_staff, std::int64_t version = 1) : staff(its_staff) {
        staff.give(admin, role);
        token = staff.service.tokens_of(admin).access;
        session = one("SELECT id FROM sessions WHERE user_id = " + quoted(admin.id.text()));
        const Answer key = staff.call(staff.chief, "POST", "api-key/create", {{"name", "a key"}, {"type", "default"}});
        key_id = *ApiKeyId::parse(key.text("data.id"));
        flag_id = *FeatureFlagId::parse(one("SELECT id FROM feature_flags WHERE key = 'signUp'"));
        staff.service.turn_two_factor_on(protected_user);
        Actor by = Actor::operator_at_the_machine();
        auto& policies = services().term_policies;
        auto file = run(policies.upload(PolicyType::cookies, version, Language::en, "Cookies are small."));
        auto draft =
            run(policies.create(by, {.type = PolicyType::cookies, .version = version, .contents = {*file}}, {}));
        draft_id = draft->id;
        // An uploaded file that does not yet belong to a draft.
        next_version = version + 1;
        second_file = *run(policies.upload(PolicyType::cookies, next_version, Language::en, "Cookies are smaller."));
        staff.service.sql("DELETE FROM mails");
    }

    Services& services() { return staff.service.app().services(); }
    std::string one(const std::string& sql) const { return staff.service.sql(sql)[0][0]; }
    // The contents of every table that a change may modify.
    std::vector<std::vector<std::vector<std::string>>> contents() const {
        std::vector<std::vector<std::vector<std::string>>> out;
        for (const char* table : {"users", "sessions", "roles", "api_keys", "feature_flags", "two_factors",
                                  "backup_codes", "term_policies", "term_policy_contents", "activity_log", "mails"})
            out.push_back(staff.service.sql(std::string("SELECT * FROM ") + table + " ORDER BY 1, 2"));
        return out;
    }

    Staff& staff;
    const std::string role = staff.make_role("admin", everything);
    const std::string other_role = staff.make_role("admin", {{"user", {"read"}}});
    Person admin = staff.service.make_person();
    Person plain = staff.service.make_person();
    Person protected_user = staff.service.make_person();
    std::string token;
    std::string session;
    ApiKeyId key_id;
    FeatureFlagId flag_id;
    TermPolicyId draft_id;
    std::int64_t next_version = 0;
    ContentFile second_file;
};

struct Change {
    std::string_view name;
    std::function<std::string(ActorWorld&, Actor)> attempt;  // returns the name of the error
};

const std::vector<Change>& changes() {
    static const std::vector<Change> all{
        {"createRole",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().roles.create(by, "fresh", {.description = {}, .rights = {}}, {})));
         }},
        {"updateRole",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().roles.update(by, *RoleId::parse(it.other_role),
                                                            {.description = "new", .rights = {}}, {})));
         }},
        {"deleteRole",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().roles.erase(by, *RoleId::parse(it.other_role), {})));
         }},
        {"createApiKey",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().api_keys.create(by, {.name = "k", .window = {}}, {})));
         }},
        {"resetApiKey",
         [](ActorWorld& it, Actor by) { return error_of(run(it.services().api_keys.reset(by, it.key_id, {}))); }},
        {"updateApiKey",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().api_keys.rename(by, it.key_id, "other", {})));
         }},
        {"updateApiKeyDate",
         [](ActorWorld& it, Actor by) {
             const TimePoint begin = it.staff.service.clock().now() + std::chrono::days{2};
             return error_of(run(it.services().api_keys.set_window(by, it.key_id, {begin, begin}, {})));
         }},
        {"updateApiKeyStatus",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().api_keys.set_status(by, it.key_id, false, {})));
         }},
        {"deleteApiKey",
         [](ActorWorld& it, Actor by) { return error_of(run(it.services().api_keys.erase(by, it.key_id, {}))); }},
        {"updateFeatureFlagStatus",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().feature_flags.update_status(by, it.flag_id, false, 0, {})));
         }},
        {"createUser",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().administration.create(
                 {by, {}}, {.email = "new@example.org", .role = built_in_role(Role::user), .name = {}})));
         }},
        {"updateUserStatus",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().administration.set_status({by, {}}, it.plain.id, UserStatus::inactive)));
         }},
        {"updateUserRole",
         [](ActorWorld& it, Actor by) {
             return error_of(
                 run(it.services().administration.set_role({by, {}}, it.plain.id, built_in_role(Role::admin))));
         }},
        {"updateUserPassword",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().administration.give_temporary_password({by, {}}, it.plain.id)));
         }},
        {"revokeSessionOfUser",
         [](ActorWorld& it, Actor by) {
             const auto session = *SessionId::parse(
                 it.one("SELECT id FROM sessions WHERE user_id = " + quoted(it.protected_user.id.text())));
             return error_of(run(it.services().administration.revoke({by, {}}, it.protected_user.id, session)));
         }},
        {"exportUsers",
         [](ActorWorld& it, Actor by) { return error_of(run(it.services().administration.note_export({by, {}}))); }},
        {"resetTwoFactor",
         [](ActorWorld& it, Actor by) {
             auto user = run(it.services().users.find(it.protected_user.id));
             return error_of(
                 run(it.services().two_factor.reset(by, std::move(*user), TwoFactor::After::set_up_required, {})));
         }},
        {"createTermPolicy",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().term_policies.create(
                 by, {.type = PolicyType::cookies, .version = it.next_version, .contents = {it.second_file}}, {})));
         }},
        {"removeTermPolicyContent",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().term_policies.remove_content(by, it.draft_id, Language::en, {})));
         }},
        {"deleteTermPolicy",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().term_policies.erase(by, it.draft_id, {})));
         }},
        {"publishTermPolicy",
         [](ActorWorld& it, Actor by) {
             return error_of(run(it.services().term_policies.publish(by, it.draft_id, {})));
         }},
    };
    return all;
}

struct Loss {
    std::string_view name;
    std::string happens;  // the SQL; $user, $session and $role stand for the admin's ids
    std::string is_undone;
    std::string_view refusal;
};

const std::vector<Loss>& losses() {
    static const std::vector<Loss> all{
        {"blocked", "UPDATE users SET status = 'blocked' WHERE id = $user",
         "UPDATE users SET status = 'active' WHERE id = $user", "blockedForbidden"},
        {"inactive", "UPDATE users SET status = 'inactive' WHERE id = $user",
         "UPDATE users SET status = 'active' WHERE id = $user", "inactiveForbidden"},
        {"deleted", "UPDATE users SET deleted_at = 1 WHERE id = $user",
         "UPDATE users SET deleted_at = NULL WHERE id = $user", "jwtAccessTokenInvalid"},
        {"logged out", "UPDATE sessions SET revoked_at = 1 WHERE id = $session",
         "UPDATE sessions SET revoked_at = NULL WHERE id = $session", "jwtAccessTokenInvalid"},
        {"demoted", "UPDATE users SET role_id = '" + built_in(Role::user) + "' WHERE id = $user",
         "UPDATE users SET role_id = $role WHERE id = $user", "forbidden"},
        {"of a narrowed role", "UPDATE roles SET abilities = '[]' WHERE id = $role",
         R"(UPDATE roles SET abilities = '[{"subject":"all","action":["manage"]}]' WHERE id = $role)", "forbidden"},
    };
    return all;
}

std::string about(const ActorWorld& it, std::string sql) {
    for (const auto& [mark, value] :
         {std::pair{"$user", it.admin.id.text()}, {"$session", it.session}, {"$role", it.role}})
        if (const auto at = sql.find(mark); at != std::string::npos)
            sql.replace(at, std::string_view(mark).size(), quoted(value));
    return sql;
}

TEST(AUT_4, WhoLosesTheirRightsDuringARequestChangesNothing) {
    Staff staff;
    ActorWorld it(staff);
    const std::string abilities = it.one("SELECT abilities FROM roles WHERE id = " + quoted(it.role));
    ASSERT_EQ(abilities, R"([{"subject":"all","action":["manage"]}])") << "what the last loss restores";
    for (const Loss& loss : losses()) {
        const Actor by = admitted<Chief>(it.staff.service, it.token);
        it.staff.service.sql(about(it, loss.happens));
        const auto before = it.contents();
        for (const Change& change : changes())
            EXPECT_EQ(change.attempt(it, by), loss.refusal) << change.name << " by somebody " << loss.name;
        EXPECT_EQ(it.contents(), before) << "by somebody " << loss.name;
        it.staff.service.sql(about(it, loss.is_undone));
    }
}

TEST(AUT_4, EachOfTheseChangesIsMadeByWhoeverKeepsTheirRights) {
    Staff staff;
    std::int64_t version = 1;
    for (const Change& change : changes()) {
        ActorWorld it(staff, version);
        version = it.next_version + 1;
        EXPECT_EQ(change.attempt(it, admitted<Chief>(it.staff.service, it.token)), "") << change.name;
    }
}

TEST(AUT_4, TheOwnersOfAccountsChangeNothingAfterTheirSessionEnded) {
    Service& service = service_without_policies();
    const Person ada = service.make_person();
    const std::string token = service.tokens_of(ada).access;
    const Actor by = admitted<SignedIn>(service, token);
    for (const char* type : {"marketing", "cookies"}) publish(service, type, 1);
    ASSERT_EQ(accept(service, token, "marketing").status, 200U);
    ASSERT_EQ(service.post("/api/shared/user/logout", {}, bearer(token)).status, 200U);
    auto& services = service.app().services();
    EXPECT_EQ(error_of(run(services.two_factor.set_up(by, ada.id, ada.email, {}))), "jwtAccessTokenInvalid");
    EXPECT_EQ(error_of(run(services.accounts.delete_self(by, ada.id, {}, {}))), "jwtAccessTokenInvalid");
    EXPECT_EQ(error_of(run(services.passwords.change(
                  by, ada.id, {.old_password = ada.password, .new_password = "Copper-Meadow-77", .proof = {}}, {}))),
              "jwtAccessTokenInvalid");
    EXPECT_EQ(
        error_of(run(services.accounts.update_profile(by, ada.id, {.name = "Eve", .language = {}, .gender = {}}, {}))),
        "jwtAccessTokenInvalid");
    const ConsentCaller caller{.actor = by, .user = ada.id, .session = {}};
    AcceptRequest cookies;
    cookies.type = PolicyType::cookies;
    EXPECT_EQ(error_of(run(services.consents.accept(caller, cookies, {}))), "jwtAccessTokenInvalid");
    EXPECT_EQ(error_of(run(services.consents.withdraw(caller, PolicyType::marketing, {}))), "jwtAccessTokenInvalid");
    EXPECT_EQ(history(service, ada), "marketing 1 accepted");
    EXPECT_EQ(service.sql("SELECT count(*) FROM two_factors WHERE user_id = " + quoted(ada.id.text()))[0][0], "0");
    EXPECT_EQ(service.log_in(ada).status, 200U);
}

// Super admins who demote or block each other.
struct Chiefs {
    explicit Chiefs(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            people.push_back(service.make_person(Role::super_admin));
            tokens.push_back(service.tokens_of(people.back()).access);
        }
    }
    int active() const {
        return std::stoi(service
                             .sql("SELECT count(*) FROM users u JOIN roles r ON r.id = u.role_id "
                                  "WHERE r.type = 'superAdmin' AND u.status = 'active' AND u.deleted_at IS NULL")
                             .at(0)
                             .at(0));
    }
    Call demote(std::size_t by, std::size_t whom) const {
        return {.path = "/api/admin/user/update/" + people[whom].id.text() + "/role",
                .body = {{"roleId", built_in(Role::user)}},
                .headers = bearer(tokens[by]),
                .method = "PUT"};
    }
    Call shut_out(std::size_t by, std::size_t whom, const char* status) const {
        return {.path = "/api/admin/user/update/" + people[whom].id.text() + "/status",
                .body = {{"status", status}},
                .headers = bearer(tokens[by]),
                .method = "PATCH"};
    }

    Service service;
    std::vector<Person> people;
    std::vector<std::string> tokens;
};

TEST(RAC_1, OfSuperAdminsWhoDemoteEachOtherOneStays) {
    for (int round = 0; round < 6; ++round) {
        const Chiefs chiefs(2);
        std::vector<Call> calls;
        for (int i = 0; i < 6; ++i)
            for (const auto& [by, whom] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 0}})
                calls.push_back(round % 2 == 0 ? chiefs.demote(by, whom) : chiefs.shut_out(by, whom, "inactive"));
        const auto answers = all_at_once(chiefs.service, calls);
        EXPECT_EQ(chiefs.active(), 1);
        for (const Answer& answer : answers)
            EXPECT_TRUE(answer.status == 200 || answer.status == 401 || answer.status == 403) << answer.body;
    }
}

TEST(RAC_1, OfThreeSuperAdminsInACircleOneStaysAtLeast) {
    for (int round = 0; round < 4; ++round) {
        const Chiefs chiefs(3);
        std::vector<Call> calls;
        for (std::size_t i = 0; i < 12; ++i) {
            const std::size_t by = i % 3;
            const std::size_t whom = (i + 1 + i / 3 % 2) % 3;
            calls.push_back(i % 2 == 0 ? chiefs.demote(by, whom) : chiefs.shut_out(by, whom, "blocked"));
        }
        all_at_once(chiefs.service, calls);
        EXPECT_EQ(chiefs.active(), 1) << "somebody is always left to shut out the others";
    }
}

TEST(RAC_1, TheOperatorDoesNotTakeAwayTheLastSuperAdminEither) {
    Chiefs chiefs(2);
    auto& administration = chiefs.service.app().services().administration;
    const auto demote = [&](std::size_t whom) {
        return administration.set_role({Actor::operator_at_the_machine(), {}}, chiefs.people[whom].id,
                                       built_in_role(Role::user));
    };
    std::vector<Call> calls(4, chiefs.demote(0, 1));
    std::jthread requests([&] { all_at_once(chiefs.service, calls); });
    const auto first = run(demote(0));
    requests.join();
    const auto second = run(demote(1));
    EXPECT_EQ(chiefs.active(), 1);
    EXPECT_TRUE(first.has_value() != second.has_value() || (!first && !second));
    for (const auto& result : {error_of(first), error_of(second)})
        EXPECT_TRUE(result.empty() || result == "lastSuperAdmin") << result;
    const auto last = chiefs.service.sql(
        "SELECT u.id FROM users u JOIN roles r ON r.id = u.role_id WHERE "
        "r.type = 'superAdmin'")[0][0];
    const auto refused = run(
        administration.set_status({Actor::operator_at_the_machine(), {}}, *UserId::parse(last), UserStatus::blocked));
    ASSERT_FALSE(refused.has_value());
    EXPECT_TRUE(refused.error().is(errors::last_super_admin));
}

TEST(RAC_1, ARoleOfTheLastSuperAdminsStaysOne) {
    Staff staff;
    const std::string role = staff.make_role("superAdmin", {});
    const Person keeper = staff.service.make_person();
    staff.give(keeper, role);
    const std::string token = staff.service.tokens_of(keeper).access;
    staff.service.sql("UPDATE users SET status = 'inactive' WHERE role_id = '" + built_in(Role::super_admin) + "'");
    const auto before = staff.service.sql("SELECT * FROM roles ORDER BY id");
    expect_refused(staff.update(token, role, "admin", everything), errors::last_super_admin);
    EXPECT_EQ(staff.service.sql("SELECT * FROM roles ORDER BY id"), before);
    staff.service.sql("UPDATE users SET status = 'active'");
    EXPECT_EQ(staff.update(token, role, "admin", everything).status, 200U) << "with another one";
}

}  // namespace
}  // namespace consentry::tests
