// Tests creating, changing and deleting roles, and who may do so.
#include <atomic>
#include <future>
#include <latch>
#include <map>
#include <set>
#include <thread>

#include "base/errors.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

const Abilities role_manager{{"role", {"manage"}}, {"user", {"read", "update"}}};

TEST(AUT_1, NobodyGivesWhatTheyDoNotHave) {
    Staff staff(suite_service());
    const std::string limited = staff.admin_with(role_manager);
    for (const Abilities& more : {everything, Abilities{{"user", {"manage"}}}, Abilities{{"user", {"delete"}}},
                                  Abilities{{"all", {"read"}}}, Abilities{{"role", {"read"}}, {"apiKey", {"read"}}}}) {
        expect_refused(staff.create(limited, "helpers", "admin", more), errors::policy_forbidden);
        expect_refused(staff.create(limited, "helpers", "user", more), errors::policy_forbidden);
    }
    expect_refused(staff.create(limited, "helpers", "superAdmin", {}), errors::policy_forbidden);
    EXPECT_EQ(staff.create(limited, "helpers", "admin", {{"user", {"update"}}, {"role", {"delete"}}}).status, 201U);
    const std::string full = staff.admin_with(everything);
    expect_refused(staff.create(full, "chiefs", "superAdmin", {}), errors::policy_forbidden);
    EXPECT_EQ(staff.create(full, "deputies", "admin", everything).status, 201U);
    EXPECT_EQ(staff.create(staff.chief, "chiefs", "superAdmin", {}).status, 201U);
}

TEST(AUT_1, NobodyRaisesTheirOwnRoleOrAnothers) {
    Staff staff(suite_service());
    const std::string own = staff.make_role("admin", role_manager);
    const std::string low = staff.make_role("admin", {{"user", {"read"}}});
    const std::string token = staff.member_of(own);
    for (const std::string& role : {own, low}) {
        expect_refused(staff.update(token, role, "superAdmin", {}), errors::policy_forbidden);
        expect_refused(staff.update(token, role, "admin", everything), errors::policy_forbidden);
        expect_refused(staff.update(token, role, "admin", {{"role", {"manage"}}, {"apiKey", {"read"}}}),
                       errors::policy_forbidden);
    }
    EXPECT_EQ(staff.call(token, "GET", "role/get/" + own).json.at("data").at("abilities"), as_json(role_manager));
    EXPECT_EQ(staff.update(token, low, "admin", role_manager).status, 200U) << "up to their own";
    EXPECT_EQ(staff.update(token, own, "admin", {{"role", {"read"}}}).status, 200U) << "down is allowed";
    expect_refused(staff.update(token, own, "admin", role_manager), errors::policy_forbidden,
                   "and the way back is not");
}

TEST(AUT_1, NobodyTakesFromThoseAboveThem) {
    Staff staff(suite_service());
    const std::string limited = staff.admin_with(role_manager);
    const std::string above = staff.make_role("admin", {{"apiKey", {"read"}}});
    const std::string chiefs = staff.make_role("superAdmin", {});
    for (const std::string& role : {above, chiefs, built_in(Role::admin), built_in(Role::super_admin)}) {
        expect_refused(staff.update(limited, role, "admin", {}), errors::policy_forbidden);
        expect_refused(staff.update(limited, role, "user", {}), errors::policy_forbidden);
        expect_refused(staff.erase(limited, role), errors::policy_forbidden);
    }
    const std::string full = staff.admin_with(everything);
    for (const std::string& role : {chiefs, built_in(Role::super_admin)}) {
        expect_refused(staff.update(full, role, "admin", {}), errors::policy_forbidden);
        expect_refused(staff.erase(full, role), errors::policy_forbidden);
    }
    EXPECT_EQ(staff.erase(full, above).status, 204U);
    EXPECT_EQ(staff.erase(staff.chief, chiefs).status, 204U);
}

TEST(AUT_1, NobodyTakesASecondFactorOffThoseAboveThem) {
    Staff staff(suite_service());
    const auto reset = [&](const std::string& token, Role of) {
        Person person = staff.service.make_person(of);
        staff.service.turn_two_factor_on(person);
        return staff.call(token, "PATCH", "user/update/" + person.id.text() + "/2fa/reset");
    };
    const std::string limited = staff.admin_with({{"user", {"read", "update"}}});
    EXPECT_EQ(reset(limited, Role::user).status, 200U);
    expect_refused(reset(limited, Role::admin), errors::role_forbidden);
    expect_refused(reset(limited, Role::super_admin), errors::role_forbidden);
    const std::string full = staff.admin_with(everything);
    EXPECT_EQ(reset(full, Role::admin).status, 200U);
    expect_refused(reset(full, Role::super_admin), errors::role_forbidden);
}

TEST(AUT_1, WhatCameWithTheServiceStays) {
    Staff staff;
    for (const Role type : {Role::user, Role::admin, Role::super_admin}) {
        expect_refused(staff.erase(staff.chief, built_in(type)), errors::role_used);
        for (const char* other : {"user", "admin", "superAdmin"})
            if (other != name_of(type))
                expect_refused(staff.update(staff.chief, built_in(type), other, {}), errors::policy_forbidden);
        const Answer kept = staff.update(staff.chief, built_in(type), std::string(name_of(type)), {});
        EXPECT_EQ(kept.status, 200U) << kept.body;
        EXPECT_TRUE(kept.boolean("data.isBuiltIn"));
    }
}

TEST(AUT_5, RolesTakeNothingButTheirFields) {
    Staff staff(suite_service());
    const std::string role = staff.make_role("user", {});
    for (const char* name : {"id", "isBuiltIn", "createdAt", "createdBy", "updatedBy", "users", "rights"}) {
        json::object body = role_change("user", {});
        body[name] = true;
        const Answer updated = staff.call(staff.chief, "PUT", "role/update/" + role, body);
        EXPECT_TRUE(updated.violates(name, "whitelistValidation")) << updated.body;
        body["name"] = "sailors";
        const Answer created = staff.call(staff.chief, "POST", "role/create", body);
        EXPECT_TRUE(created.violates(name, "whitelistValidation")) << created.body;
    }
    json::object renamed = role_change("user", {});
    renamed["name"] = "sailors";
    EXPECT_TRUE(staff.call(staff.chief, "PUT", "role/update/" + role, renamed).violates("name", "whitelistValidation"));
    json::object nested = role_change("user", {{"user", {"read"}}});
    nested["abilities"].as_array()[0].as_object()["unless"] = true;
    EXPECT_TRUE(staff.call(staff.chief, "PUT", "role/update/" + role, nested)
                    .violates("abilities.0.unless", "whitelistValidation"));
}

TEST(AUT_5, ARolesFormIsChecked) {
    Staff staff(suite_service());
    const auto violates = [&](const std::string& name, const Abilities& abilities, const std::string& property,
                              const std::string& rule) {
        const Answer answer = staff.create(staff.chief, name, "admin", abilities);
        EXPECT_EQ(answer.status, 422U);
        EXPECT_TRUE(answer.violates(property, rule)) << answer.body;
    };
    violates("ab", {}, "name", "minLength");
    violates(std::string(31, 'a'), {}, "name", "maxLength");
    for (const char* name : {"two words", "dash-ed", "caf\xC3\xA9", "tab\t1"})
        violates(name, {}, "name", "isAlphanumeric");
    violates("sailors", {{"ships", {"read"}}}, "abilities.0.subject", "isEnum");
    violates("sailors", {{"user", {"read", "sail"}}}, "abilities.0.action.1", "isEnum");
    const Answer unknown =
        staff.create(staff.chief, "sailors", "admin", {{"ships", {"read"}}, {"boats", {"row", "sail"}}});
    EXPECT_EQ(unknown.json.at("errors").as_array().size(), 4U) << "isEnum each: " << unknown.body;
    json::object no_abilities = role_change("admin", {});
    no_abilities["name"] = "sailors";
    no_abilities["abilities"] = json::array{1, nullptr};
    const Answer unreadable = staff.call(staff.chief, "POST", "role/create", no_abilities);
    EXPECT_TRUE(unreadable.violates("abilities.0", "isObject")) << unreadable.body;
    EXPECT_TRUE(unreadable.violates("abilities.1", "isObject")) << unreadable.body;
    EXPECT_TRUE(unreadable.violates("abilities.1", "isNotEmpty")) << unreadable.body;
    EXPECT_EQ(unreadable.json.at("errors").as_array().size(), 3U) << unreadable.body;
    violates("sailors", {{"user", {}}}, "abilities.0.action", "arrayNotEmpty");
    violates("sailors", {{"user", {"read", "read"}}}, "abilities.0.action", "arrayUnique");
    violates("sailors", {{"user", {"read"}}, {"user", {"update"}}}, "abilities", "arrayUnique");
    json::object long_text = role_change("admin", {});
    long_text["description"] = std::string(501, 'x');
    EXPECT_TRUE(staff.call(staff.chief, "PUT", std::string("role/update/") + absent_id, long_text)
                    .violates("description", "maxLength"));
}

TEST(Roles, AreMadeReadChangedAndDeleted) {
    Staff staff(suite_service());
    json::object body = role_change("admin", {{"user", {"update", "read"}}});
    body["name"] = "Harbor7";
    body["description"] = "Looks after the harbor";
    const Answer made = staff.call(staff.chief, "POST", "role/create", body);
    ASSERT_EQ(made.status, 201U) << made.body;
    EXPECT_EQ(made.text("data.name"), "harbor7");
    const std::string path = "role/get/" + made.text("data.id");
    EXPECT_EQ(staff.call(staff.chief, "GET", path).json.at("data"), made.json.at("data"));
    EXPECT_EQ(made.json.at("data").at("abilities"), as_json({{"user", {"read", "update"}}}));
    expect_refused(staff.create(staff.chief, "hARBOR7", "user", {}), errors::role_exist);
    expect_refused(staff.create(staff.chief, "superAdmin", "user", {}), errors::role_exist);

    staff.service.pass(std::chrono::seconds{5});
    const Answer changed = staff.update(staff.chief, made.text("data.id"), "user", {});
    ASSERT_EQ(changed.status, 200U) << changed.body;
    EXPECT_FALSE(changed.has("data.description"));
    EXPECT_EQ(changed.text("data.type"), "user");
    EXPECT_EQ(changed.text("data.createdAt"), made.text("data.createdAt"));
    EXPECT_NE(changed.text("data.updatedAt"), made.text("data.updatedAt"));

    const std::string member = staff.member_of(made.text("data.id"));
    expect_refused(staff.erase(staff.chief, made.text("data.id")), errors::role_used);
    EXPECT_EQ(staff.service.get("/api/shared/user/2fa/status", bearer(member)).status, 200U);
    staff.service.sql("UPDATE users SET role_id = '" + built_in(Role::user) + "' WHERE role_id = '" +
                      made.text("data.id") + "'");
    EXPECT_EQ(staff.erase(staff.chief, made.text("data.id")).status, 204U);
    for (const char* method : {"GET", "DELETE"})
        expect_refused(staff.call(staff.chief, method,
                                  std::string(*method == 'G' ? "role/get/" : "role/delete/") + made.text("data.id")),
                       errors::role_not_found);
    expect_refused(staff.update(staff.chief, made.text("data.id"), "user", {}), errors::role_not_found);
}

TEST(Roles, ChangesStandInTheActivityLogOfWhoMadeThem) {
    Staff staff(suite_service());
    const std::string id = staff.make_role("user", {});
    staff.update(staff.chief, id, "user", {{"user", {"read"}}});
    const std::string member = staff.member_of(id);
    expect_refused(staff.erase(staff.chief, id), errors::role_used);
    staff.service.sql("UPDATE users SET role_id = '" + built_in(Role::user) + "' WHERE role_id = '" + id + "'");
    staff.erase(staff.chief, id);
    expect_refused(staff.update(staff.chief, id, "user", {}), errors::role_not_found);
    EXPECT_EQ(staff.logged("roleId", id),
              (std::multiset<std::string>{"adminRoleCreate", "adminRoleUpdate", "adminRoleDelete"}));
}

TEST(Roles, WhatTheyGrantedStandsInTheActivityLog) {
    Staff staff(suite_service());
    const Abilities narrow{{"user", {"read"}}};
    const Abilities wide{{"user", {"read", "delete"}}};
    const std::string id = staff.make_role("admin", narrow);
    staff.service.pass(std::chrono::seconds{1});
    ASSERT_EQ(staff.update(staff.chief, id, "admin", wide).status, 200U);
    staff.service.pass(std::chrono::seconds{1});
    ASSERT_EQ(staff.update(staff.chief, id, "user", narrow).status, 200U);
    const auto log = staff.service.sql("SELECT metadata FROM activity_log WHERE metadata LIKE '%" + id +
                                       "%' ORDER BY created_at DESC");
    ASSERT_EQ(log.size(), 3U);
    const auto entry = [&](std::size_t i) { return json::parse(log.at(i).at(0)).as_object(); };
    EXPECT_EQ(entry(0).at("abilitiesBefore"), as_json(wide));
    EXPECT_EQ(entry(0).at("abilities"), as_json(narrow));
    EXPECT_EQ(entry(0).at("typeBefore"), "admin");
    EXPECT_EQ(entry(0).at("type"), "user");
    EXPECT_EQ(entry(1).at("abilitiesBefore"), as_json(narrow));
    EXPECT_EQ(entry(1).at("abilities"), as_json(wide));
    EXPECT_EQ(entry(2).at("abilities"), as_json(narrow));
    EXPECT_EQ(entry(2).at("type"), "admin");
}

TEST(Roles, AreNotKeptFromDeletionByAccountsThatNoLongerExist) {
    Staff staff(suite_service());
    const std::string id = staff.make_role("user", {});
    const std::string member = staff.member_of(id);
    expect_refused(staff.erase(staff.chief, id), errors::role_used);
    ASSERT_EQ(staff.service.erase("/api/shared/user/delete/self", {}, bearer(member)).status, 204U);
    EXPECT_EQ(staff.erase(staff.chief, id).status, 204U);
}

// Versions of the program that run side by side must be able to read each other's rows.
TEST(Roles, KeepTheFormInWhichTheirAbilitiesAreStored) {
    Staff staff(suite_service());
    const std::string role = staff.make_role("admin", {{"user", {"update", "read"}}, {"apiKey", {"delete"}}});
    const auto rows = staff.service.sql("SELECT abilities FROM roles WHERE id = '" + role + "'");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at(0),
              R"([{"subject":"apiKey","action":["delete"]},{"subject":"user","action":["read","update"]}])");
}

// Another version, or a manual change in the database, may order the actions differently.
TEST(Roles, AreChangedAndDeletedHoweverTheirAbilitiesAreWritten) {
    Staff staff(suite_service());
    const std::string role = staff.make_role("admin", {{"user", {"read"}}});
    const auto write_otherwise = [&] {
        staff.service.sql(R"(UPDATE roles SET abilities = '[ {"action":["update","read"], "subject":"user"} ]')"
                          " WHERE id = '" +
                          role + "'");
    };
    write_otherwise();
    const Answer changed = staff.update(staff.chief, role, "admin", {{"role", {"read"}}});
    EXPECT_EQ(changed.status, 200U) << changed.body;
    EXPECT_EQ(changed.json.at("data").at("abilities"), as_json({{"role", {"read"}}}));
    write_otherwise();
    EXPECT_EQ(staff.erase(staff.chief, role).status, 204U);
}

TEST(Roles, AreListedSearchedAndFiltered) {
    Staff staff;
    staff.create(staff.chief, "harbormaster", "admin", {{"user", {"read", "update"}}, {"role", {"read"}}});
    staff.create(staff.chief, "pilot", "user", {});
    const auto names = [&](const std::string& query) {
        const Answer answer = staff.call(staff.chief, "GET", "role/list" + query);
        EXPECT_EQ(answer.status, 200U) << answer.body;
        std::set<std::string> out;
        for (const auto& role : answer.json.at("data").as_array()) out.emplace(role.at("name").as_string());
        return out;
    };
    using Names = std::set<std::string>;
    EXPECT_EQ(names(""), (Names{"user", "admin", "superadmin", "harbormaster", "pilot"}));
    EXPECT_EQ(names("?search=AR"), (Names{"harbormaster"}));
    EXPECT_EQ(names("?type=admin,superAdmin"), (Names{"admin", "superadmin", "harbormaster"}));
    EXPECT_EQ(names("?type=user&search=pil"), (Names{"pilot"}));
    expect_refused(staff.call(staff.chief, "GET", "role/list?type=captain"), errors::filter_invalid_value);
    const Answer answer = staff.call(staff.chief, "GET", "role/list?search=harbor");
    EXPECT_EQ(answer.number("metadata.count"), 1);
    const auto& role = answer.json.at("data").at(0).as_object();
    EXPECT_EQ(role.at("abilities"), 2);
    EXPECT_FALSE(role.contains("description"));
}

TEST(Roles, AreReadByOtherServices) {
    Keys keys;
    const Headers system = with_key(keys.make("system").text());
    std::set<std::string> names;
    std::string query = "?perPage=2";
    for (int page = 1; page <= 2; ++page) {
        const Answer answer = keys.service.get("/api/system/role/list" + query, system);
        ASSERT_EQ(answer.status, 200U) << answer.body;
        for (const auto& role : answer.json.at("data").as_array()) names.emplace(role.at("name").as_string());
        EXPECT_EQ(answer.boolean("metadata.hasNext"), page == 1);
        if (page == 1) query += "&cursor=" + answer.text("metadata.nextCursor");
    }
    EXPECT_EQ(names, (std::set<std::string>{"user", "admin", "superadmin"}));
    const std::string path = "/api/system/role/get/";
    const Answer abilities = keys.service.get(path + built_in(Role::admin) + "/abilities", system);
    EXPECT_EQ(abilities.json.at("data"), (json::object{{"abilities", as_json(everything)}}));
    expect_refused(keys.service.get(path + absent_id + "/abilities", system), errors::role_not_found);
    expect_refused(keys.service.get(path + built_in(Role::admin) + "/abilities", bearer(keys.chief)),
                   errors::api_key_required);
}

// Another connection has assigned the role, and commits once the deletion waits for it.
TEST(Roles, AreNotDeletedWhileTheyAreAssigned) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    Staff staff;
    const Service& service = staff.service;
    const std::string role = staff.make_role("user", {});
    const Person person = staff.service.make_person();
    service.sql(
        "CREATE FUNCTION wait_until_awaited() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
        "FOR i IN 1..2000 LOOP EXIT WHEN EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted "
        "AND pg_backend_pid() = ANY (pg_blocking_pids(pid))); PERFORM pg_sleep(0.01); END LOOP; END $$");
    auto assignment = std::async(std::launch::async, [&] {
        service.sql("UPDATE roles SET updated_at = updated_at WHERE id = '" + role + "'; UPDATE users SET role_id = '" +
                    role + "' WHERE id = '" + person.id.text() + "'; SELECT wait_until_awaited()");
    });
    ASSERT_TRUE(eventually([&] {
        return service.sql(
                   "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%wait_until_awaited()' AND "
                   "wait_event = 'PgSleep'") == SqlRows{{"1"}};
    }));
    expect_refused(staff.erase(staff.chief, role), errors::role_used);
    assignment.get();
}

// Of many concurrent requests, one creates the role and one deletes it.
TEST(RAC_1, ARoleIsMadeOnceAndDeletedOnce) {
    Staff staff(suite_service());
    constexpr int rivals = 8;
    const auto at_once = [&](auto ask) {
        std::vector<unsigned> statuses(rivals);
        std::latch start(rivals);
        std::vector<std::jthread> threads;
        for (int i = 0; i < rivals; ++i)
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                statuses[static_cast<std::size_t>(i)] = ask();
            });
        threads.clear();
        return statuses;
    };
    const auto created = at_once([&] { return staff.create(staff.chief, "rivals", "user", {}).status; });
    EXPECT_EQ(std::ranges::count(created, 201U), 1);
    EXPECT_EQ(std::ranges::count(created, 409U), rivals - 1);
    const Answer list = staff.call(staff.chief, "GET", "role/list?search=rivals");
    const std::string id(list.json.at("data").at(0).at("id").as_string());
    const auto erased = at_once([&] { return staff.erase(staff.chief, id).status; });
    EXPECT_EQ(std::ranges::count(erased, 204U), 1);
    EXPECT_EQ(std::ranges::count(erased, 404U), rivals - 1);
}

// A super admin keeps moving a role out of an admin's reach and back. The admin's own changes must never hit the role
// while it is out of reach.
TEST(RAC_1, AChangeNeverMeetsARoleThatWasRaisedMeanwhile) {
    Staff staff(suite_service());
    const std::string limited = staff.admin_with(role_manager);
    const std::string role = staff.make_role("admin", {{"user", {"read"}}});
    const Abilities above{{"apiKey", {"read"}}};
    std::map<unsigned, std::atomic<int>> answers;
    for (const unsigned status : {200U, 403U}) answers[status] = 0;
    std::atomic<int> others = 0;
    std::jthread rival([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto found = answers.find(staff.update(limited, role, "admin", {{"user", {"update"}}}).status);
            ++(found == answers.end() ? others : found->second);
        }
    });
    // Until the rival has met both.
    for (int i = 0; i < 20 || (i < 2'000 && (answers[200] == 0 || answers[403] == 0)); ++i) {
        ASSERT_EQ(staff.update(staff.chief, role, "admin", above).status, 200U);
        EXPECT_EQ(staff.call(staff.chief, "GET", "role/get/" + role).json.at("data").at("abilities"), as_json(above));
        ASSERT_EQ(staff.update(staff.chief, role, "admin", {{"user", {"read"}}}).status, 200U);
    }
    rival.request_stop();
    rival.join();
    EXPECT_GT(answers[200], 0) << "the role was within reach";
    EXPECT_GT(answers[403], 0) << "the role was out of reach";
    EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace consentry::tests
