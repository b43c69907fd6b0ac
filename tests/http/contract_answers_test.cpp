// The contents and status codes of answers that clients rely on.

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/mailbox.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

TEST(Answers, ADeletionWithoutDataIs204WithoutABody) {
    Staff office;
    Service& service = office.service;
    Person person = service.make_person();
    const TokenTexts own = service.turn_two_factor_on(person);
    const auto session_of = [&](const std::string& access) {
        return service.get("/api/shared/user/session/list", bearer(access)).text("data.0.id");
    };
    const auto expect_gone = [](const Answer& answer) {
        EXPECT_EQ(answer.status, 204U) << answer.body;
        EXPECT_TRUE(answer.body.empty()) << answer.body;
    };
    const auto another = [&] {
        service.clock().advance(1s);
        const Answer login = service.verify(service.challenge_of(person), service.next_code(person));
        return session_of(login.text("data.tokens.accessToken"));
    };
    expect_gone(service.erase("/api/shared/user/session/revoke/" + another(), {}, bearer(own.access)));
    expect_gone(office.call(office.chief, "DELETE", "user/" + person.id.text() + "/session/revoke/" + another()));
    expect_gone(
        service.erase("/api/shared/user/2fa/disable", {{"code", service.next_code(person)}}, bearer(own.access)));
}

TEST(Answers, TheDocumentKnowsNoDeletionThatAnswers200WithoutData) {
    Service& service = suite_service();
    int deletions = 0;
    for (const auto& operation : service.app().router().operations()) {
        if (operation->method != http::Method::delete_) continue;
        ++deletions;
        EXPECT_TRUE(operation->no_content || operation->describe_data) << operation->id;
    }
    EXPECT_GE(deletions, 8);
}

TEST(Answers, ALoginWithATemporaryPasswordSaysSo) {
    Staff office;
    Service& service = office.service;
    Person person = service.make_person();
    EXPECT_FALSE(service.log_in(person).has("data.mustChangePassword"));
    ASSERT_EQ(office.call(office.chief, "PUT", "user/update/" + person.id.text() + "/password").status, 200U);
    person.password = Mailbox(service).wait_for(person.email, "temporaryPassword").secret();
    const Answer login = service.log_in(person);
    ASSERT_EQ(login.status, 200U) << login.body;
    ASSERT_TRUE(login.has("data.mustChangePassword")) << login.body;
    EXPECT_TRUE(login.boolean("data.mustChangePassword"));
    const Headers caller = bearer(login.text("data.tokens.accessToken"));
    ASSERT_EQ(service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", new_password}}, caller)
                  .status,
              200U);
    EXPECT_FALSE(service.log_in(person.email, new_password).has("data.mustChangePassword"));
}

TEST(Answers, TheSecondStepSaysSoToo) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    service.sql("UPDATE users SET must_change_password = TRUE WHERE id = '" + person.id.text() + "'");
    const std::string challenge = service.challenge_of(person);
    const Answer login = service.verify(challenge, service.next_code(person));
    ASSERT_EQ(login.status, 200U) << login.body;
    ASSERT_TRUE(login.has("data.mustChangePassword")) << login.body;
    EXPECT_TRUE(login.boolean("data.mustChangePassword"));
}

// They need no version, and take it like every other path.
TEST(Contract, HelloAndHealthAnswerWithAVersionToo) {
    for (const char* path :
         {"/api/v1/hello", "/api/hello", "/api/v1/health", "/api/v1/health/live", "/api/health/live"})
        EXPECT_EQ(suite_service().get(path).status, 200U) << path;
    EXPECT_EQ(suite_service().get("/api/v2/hello").status, 404U);
}

TEST(Answers, HelloNamesTheLimitOfEveryKindOfBody) {
    const Answer hello = suite_service().get("/api/hello");
    EXPECT_EQ(hello.number("data.request.bodyJsonLimitInBytes"), 512'000);
    EXPECT_EQ(hello.number("data.request.bodyTextLimitInBytes"), 1'048'576);
    EXPECT_EQ(hello.number("data.request.bodyUrlencodedLimitInBytes"), 1'048'576);
    ASSERT_TRUE(hello.has("data.request.bodyApplicationOctetStreamLimitInBytes")) << hello.body;
    EXPECT_EQ(hello.number("data.request.bodyApplicationOctetStreamLimitInBytes"), 1'048'576);
}

TEST(DOC_5, AVersionThatNeverWasIsNotFound) {
    Signed t;
    publish(t.service, "privacy", 2);
    publish(t.service, "privacy", 5);
    t.service.sql(
        "INSERT INTO term_policies (id, type, version, status, created_at, updated_at) VALUES "
        "('01890000-0000-7000-8000-00000000abcd', 'privacy', 6, 'draft', 0, 0)");
    for (const int never : {1, 3, 4, 6, 7, 1'000}) {
        const Answer refused = accept(t.service, t.token, "privacy", {{"version", never}});
        EXPECT_EQ(refused.status, 404U) << never << refused.body;
        EXPECT_EQ(refused.number("statusCode"), 6100) << never;
        EXPECT_EQ(refused.text("message"), "This version of the policy does not exist.") << never;
        EXPECT_FALSE(refused.has("data")) << never;
    }
    const Answer outdated = accept(t.service, t.token, "privacy", {{"version", 2}});
    EXPECT_EQ(outdated.status, 409U);
    EXPECT_EQ(outdated.number("data.policies.0.version"), 5);
    EXPECT_EQ(accept(t.service, t.token, "privacy", {{"version", 5}}).status, 200U);
}

TEST(LOG_1, WhatATokenIsForIsNoSecretAndTheLineOfARefreshNamesTheUser) {
    const WorkingFolder folder;
    Service service(everything_logged());
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    const Answer refreshed = service.post("/api/shared/user/refresh", {}, bearer(tokens.refresh));
    ASSERT_EQ(refreshed.status, 200U);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer("x" + tokens.refresh)).status, 401U);
    service.restart();
    std::vector<json::object> lines;
    for (json::object& line : entries_in(folder / "logs/api.log"))
        if (const auto* request = line.if_contains("req"))
            if (request->at("path").as_string().ends_with("/refresh")) lines.push_back(line);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("req").at("user"), json::value(person.id.text()));
    const json::object& data = lines[0].at("res").at("body").at("data").as_object();
    EXPECT_EQ(data.at("tokenType"), "Bearer");
    EXPECT_EQ(data.at("accessToken"), "[REDACTED]");
    EXPECT_EQ(data.at("refreshToken"), "[REDACTED]");
    EXPECT_TRUE(lines[1].at("req").at("user").is_null()) << "nobody has proven anything";
}

TEST(KEY_1, AKeyMayHaveAnEndWithoutABeginning) {
    Keys office;
    const std::string last_day = "2023-11-16T09:30:00Z";
    const Issued key =
        Keys::issued_in(office.create({{"name", "ends"}, {"type", "default"}, {"endAt", last_day}}), 201);
    const Answer list = office.call(office.chief, "GET", "api-key/list?search=ends");
    EXPECT_FALSE(list.has("data.0.startAt"));
    EXPECT_TRUE(list.has("data.0.endAt"));
    // A key in use can get an end date without a start date, so it stays valid in the meantime.
    const Issued used = office.make();
    const Answer dated = office.update(used.id, "date", {{"endAt", last_day}});
    EXPECT_EQ(dated.status, 200U) << dated.body;
    EXPECT_FALSE(dated.has("data.startAt"));
    // An end in the past would make the key useless, so it is refused. A start without an end is refused as well.
    const auto refused = [&](json::object dates) {
        dates["name"] = "x";
        dates["type"] = "default";
        return office.create(dates);
    };
    EXPECT_TRUE(refused({{"endAt", "2023-11-13T23:00:00Z"}}).violates("endAt", "isAfterNow"));
    EXPECT_TRUE(refused({{"startAt", "2023-12-01T00:00:00Z"}}).violates("endAt", "isNotEmpty"));
    EXPECT_TRUE(refused({{"startAt", "2023-12-02T00:00:00Z"}, {"endAt", last_day}}).violates("endAt", "isNotBefore"));
    EXPECT_EQ(office.update(used.id, "date", {}).status, 422U);
    EXPECT_TRUE(office.update(used.id, "date", {{"endAt", "2023-11-13T23:00:00Z"}}).violates("endAt", "isAfterNow"));

    for (const char* good : {"2023-11-14T22:30:00Z", "2023-11-16T23:59:59Z"}) {
        office.service.clock().set(from_iso8601(good).value());
        for (const Issued& shown : {key, used}) EXPECT_EQ(office.show(shown.text()).status, 200U) << good;
    }
    office.service.clock().set(from_iso8601("2023-11-17T00:00:00Z").value());
    for (const Issued& shown : {key, used}) EXPECT_EQ(office.show(shown.text()).status, 401U) << "after the last day";
}

}  // namespace
}  // namespace consentry::tests
