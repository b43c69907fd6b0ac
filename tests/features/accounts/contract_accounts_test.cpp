// Tests how accounts appear to their owners and to administrators.
#include <set>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "base/errors.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

TEST(Profile, TheGenderIsToldChangedTakenAlongAndErased) {
    Service service;
    const Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    const auto update = [&](const json::object& body) {
        return service.call("PUT", profile_path, json::serialize(body), caller);
    };
    EXPECT_FALSE(service.get(profile_path, caller).has("data.gender"));
    for (const char* gender : {"female", "male"}) {
        EXPECT_EQ(update({{"gender", gender}}).status, 200U);
        EXPECT_EQ(service.get(profile_path, caller).text("data.gender"), gender);
    }
    EXPECT_EQ(update({{"name", "Ada"}}).status, 200U) << "what is absent stays";
    EXPECT_EQ(service.get(profile_path, caller).text("data.gender"), "male");
    for (const json::value& wrong : {json::value("other"), json::value(nullptr), json::value(""), json::value(1)})
        EXPECT_TRUE(update({{"gender", wrong}}).violates("gender", "isEnum")) << json::serialize(wrong);
    const Answer file = service.get("/api/shared/user/export", caller);
    EXPECT_EQ(json::parse(file.body).at("profile").at("gender"), "male");
    ASSERT_EQ(service.erase("/api/shared/user/delete/self", {}, caller).status, 204U);
    settle_mails(service);
    service.pass(std::chrono::days{30});
    run(service.app().services().clean_up());
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE gender IS NOT NULL AND id = '" + person.id.text() + "'"),
              "0");
}

TEST(AdministratorLists, AnAccountIsShownWithWhatItsOwnerAccepted) {
    Keys office;
    Service& service = office.service;
    publish(service, "termsOfService", 1);
    publish(service, "marketing", 1);
    std::vector<Person> people;
    for (int i = 0; i < 25; ++i) people.push_back(service.make_person());  // more than one statement reads
    const std::string token = service.tokens_of(people[3]).access;
    ASSERT_EQ(accept(service, token, "termsOfService").status, 200U);
    ASSERT_EQ(accept(service, service.tokens_of(people[20]).access, "marketing").status, 200U);
    publish(service, "marketing", 2);  // outdates the acceptance
    const Headers system = with_key(office.make("system").text());
    for (const Answer& list : {office.call(office.chief, "GET", "user/list?perPage=100"),
                               service.get("/api/system/user/list?perPage=100", system)}) {
        ASSERT_EQ(list.status, 200U) << list.body;
        const json::array& rows = list.json.at("data").as_array();
        ASSERT_EQ(rows.size(), 26U);
        for (const json::value& row : rows) {
            const bool has_terms = row.at("id") == json::value(people[3].id.text());
            EXPECT_EQ(
                json::serialize(row.at("termPolicy")),
                json::serialize(json::object{
                    {"termsOfService", has_terms}, {"privacy", false}, {"marketing", false}, {"cookies", false}}));
        }
    }
}

TEST(AdministratorLists, AreOrderedByAsManyFieldsAsAreNamed) {
    Keys office;
    Service& service = office.service;
    const auto add = [&](const std::string& email, const char* name) {
        service.clock().advance(1s);
        const Person person = service.make_person();
        service.sql("UPDATE users SET name = '" + std::string(name) + "', email = '" + email + "' WHERE id = '" +
                    person.id.text() + "'");
    };
    add("a@example.org", "Grace");
    add("b@example.org", "Ada");
    add("c@example.org", "Grace");
    add("d@example.org", "Ada");
    const auto emails = [&](const std::string& query) {
        const Answer list = office.call(office.chief, "GET", "user/list?search=@example.org&" + query);
        EXPECT_EQ(list.status, 200U) << query << list.body;
        std::string out;
        if (list.status == 200U)
            for (const json::value& row : list.json.at("data").as_array())
                if (row.as_object().contains("name")) out += row.at("email").as_string()[0];
        return out;
    };
    EXPECT_EQ(emails("orderBy=name:asc&orderBy=email:desc"), "dbca");
    EXPECT_EQ(emails("orderBy=name:desc&orderBy=createdAt:asc"), "acbd");
    EXPECT_EQ(emails("orderBy=name:asc&orderBy=username:desc&orderBy=createdAt:asc").size(), 4U);
    // The order also holds without a search and across pages.
    std::string walked;
    for (const char* page : {"1", "2", "3"}) {
        const Answer list =
            office.call(office.chief, "GET",
                        "user/list?perPage=2&orderBy=name:asc&orderBy=createdAt:desc&page=" + std::string(page));
        ASSERT_EQ(list.status, 200U) << list.body;
        EXPECT_EQ(list.number("metadata.count"), 5);
        for (const json::value& row : list.json.at("data").as_array()) walked += row.at("email").as_string()[0];
    }
    EXPECT_EQ(walked, "pdbca");
    expect_refused(office.call(office.chief, "GET", "user/list?orderBy=name:asc&orderBy=name:desc"),
                   errors::order_by_not_allowed);

    for (const int version : {1, 2})
        for (const char* type : {"privacy", "cookies"}) publish(service, type, version);
    for (const char* path : {"/api/term-policy/list", "/api/admin/term-policy/list", "/api/public/term-policy/list"}) {
        const Answer list = service.get(std::string(path) + "?perPage=3&orderBy=version:desc&orderBy=publishedAt:asc",
                                        bearer(office.chief));
        ASSERT_EQ(list.status, 200U) << path << list.body;
        EXPECT_EQ(list.number("data.0.version"), 2);
        EXPECT_EQ(list.number("data.2.version"), 1);
        const Answer rest = service.get(std::string(path) + "?perPage=3&orderBy=version:desc&orderBy=publishedAt:asc" +
                                            "&cursor=" + list.text("metadata.nextCursor"),
                                        bearer(office.chief));
        EXPECT_EQ(rest.json.at("data").as_array().size(), 1U) << rest.body;
    }
}

TEST(ActivityLog, AnAdministratorsOwnActivityTellsWhatTheyDidToOthers) {
    Staff office;
    Service& service = office.service;
    const Person boss = service.make_person(Role::admin);
    const std::string token = service.tokens_of(boss).access;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string path = "user/update/" + person.id.text();
    ASSERT_EQ(office.call(token, "PATCH", path + "/2fa/reset").status, 200U);
    ASSERT_EQ(office.call(token, "PATCH", path + "/status", {{"status", "inactive"}}).status, 200U);
    ASSERT_EQ(office.call(token, "PUT", path + "/password").status, 200U);
    // What the boss did to others: not their own login, and not the creation of their account by the operator.
    const auto is_of_boss = [&](const json::value& entry) {
        return entry.at("createdBy") == json::value(boss.id.text()) && entry.at("action") != "userLoginCredential" &&
               entry.at("action") != "userCreated";
    };
    const auto actions_of = [&](const Answer& log) {
        EXPECT_EQ(log.status, 200U) << log.body;
        std::multiset<std::string> out;
        for (const json::value& entry : log.json.at("data").as_array())
            if (is_of_boss(entry)) out.emplace(entry.at("action").as_string());
        return out;
    };
    const std::multiset<std::string> expected{"adminUserResetTwoFactor", "adminUserUpdateStatus",
                                              "adminUserUpdatePassword"};
    const std::multiset<std::string> in_owners_log{"adminUserResetTwoFactor", "userUpdateStatus",
                                                   "userUpdatePasswordByAdmin"};
    const Answer own = service.get("/api/shared/user/activity-log/list", bearer(token));
    EXPECT_EQ(actions_of(own), expected);
    for (const json::value& entry : own.json.at("data").as_array()) {
        EXPECT_EQ(entry.at("userId"), json::value(boss.id.text()));
        if (is_of_boss(entry)) EXPECT_EQ(entry.at("metadata").at("userId"), json::value(person.id.text()));
    }
    EXPECT_EQ(actions_of(service.get("/api/admin/user/" + boss.id.text() + "/activity-log/list", bearer(office.chief))),
              expected);
    EXPECT_EQ(
        actions_of(service.get("/api/admin/user/" + person.id.text() + "/activity-log/list", bearer(office.chief))),
        in_owners_log)
        << "the owner reads what happened to the account";
}

}  // namespace
}  // namespace consentry::tests
