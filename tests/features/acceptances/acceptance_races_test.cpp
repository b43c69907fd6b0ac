// DOC-5, DOC-6: tests that concurrent calls lose, duplicate or invent no acceptance.
#include <thread>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/services.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

TEST(DOC_5, NobodyAcceptsAVersionBeforeItExists) {
    // Many users accept while one version after another is published.
    Service service;
    constexpr std::size_t users = 40;
    constexpr int versions = 26;
    std::vector<Person> people;
    std::vector<std::string> tokens;
    std::vector<Call> calls;
    for (std::size_t i = 0; i < users; ++i) {
        people.push_back(service.make_person());
        tokens.push_back(service.tokens_of(people.back()).access);
        calls.push_back({.path = accept_path, .body = {{"type", "privacy"}}, .headers = bearer(tokens.back())});
    }
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}));
    std::size_t recorded = 0;
    for (int version = 2; version <= versions; ++version) {
        const std::string draft = desk.draft("privacy", version, texts_in({"en"}));
        std::jthread publisher([&] {
            service.clock().advance(milliseconds{1});
            EXPECT_EQ(desk.publish(draft).status, 200U);
        });
        const auto answers = all_at_once(service, calls);
        publisher.join();
        recorded += count(answers, 200);
        EXPECT_EQ(count(answers, 200) + count(answers, 409), users);
        const std::string latest = std::to_string(version);
        for (std::size_t i = static_cast<std::size_t>(version) % 10; i < users; i += 10) {
            const auto newest = service.sql("SELECT version FROM term_policy_acceptances WHERE user_id = '" +
                                            people[i].id.text() + "' ORDER BY sequence DESC LIMIT 1");
            EXPECT_EQ(has_accepted(service, tokens[i], "privacy"), !newest.empty() && newest[0][0] == latest);
        }
    }
    EXPECT_EQ(value_of(service, "count(*) FROM term_policy_acceptances"), std::to_string(recorded));
    EXPECT_EQ(value_of(service,
                       "count(*) FROM term_policy_acceptances a JOIN term_policies p ON p.id = a.term_policy_id "
                       "WHERE a.accepted_at < p.published_at OR a.version <> p.version"),
              "0");
    EXPECT_EQ(
        value_of(service,
                 "count(*) FROM term_policy_acceptances a JOIN term_policy_acceptances b ON b.user_id = a.user_id "
                 "AND b.sequence > a.sequence AND b.version <= a.version"),
        "0")
        << "accepted twice, or backwards";
}

TEST(DOC_6, FourTypesAtOnceAreFourAcceptances) {
    Service& service = service_without_policies();
    for (const std::string& type : all_types) publish(service, type, 1);
    for (int round = 0; round < 10; ++round) {
        const Person person = service.make_person();
        const std::string token = service.tokens_of(person).access;
        std::vector<Call> calls;
        calls.reserve(all_types.size());
        for (const std::string& type : all_types)
            calls.push_back({.path = accept_path, .body = {{"type", type}}, .headers = bearer(token)});
        EXPECT_EQ(count(all_at_once(service, calls), 200), 4U);
        EXPECT_EQ(flags(service, token), "1111");
    }
}

TEST(DOC_6, TheSameAtOnceIsRecordedOnce) {
    Service& service = service_without_policies();
    publish(service, "cookies", 1);
    for (int round = 0; round < 5; ++round) {
        const Person person = service.make_person();
        const Call call{
            .path = accept_path, .body = {{"type", "cookies"}}, .headers = bearer(service.tokens_of(person).access)};
        const auto answers = all_at_once(service, std::vector<Call>(30, call));
        EXPECT_EQ(count(answers, 200), 1U);
        EXPECT_EQ(count(answers, 409, "alreadyAccepted"), 29U);
        EXPECT_EQ(history(service, person), "cookies 1 accepted");
        EXPECT_EQ(value_of(service, "count(*) FROM activity_log WHERE action = 'userAcceptTermPolicy' AND user_id = '" +
                                        person.id.text() + "'"),
                  "1");
    }
}

TEST(DOC_6, AcceptingAndTakingBackAtOnceIsOneAfterTheOther) {
    Signed t;
    for (int version = 1; version <= 20; ++version) {
        // An outdated acceptance is renewed and withdrawn at the same time, so both requests start from the same entry.
        publish(t.service, "marketing", version);
        const auto answers = all_at_once(
            t.service, {{.path = accept_path, .body = {{"type", "marketing"}}, .headers = bearer(t.token)},
                        {.path = withdraw_path, .body = {{"type", "marketing"}}, .headers = bearer(t.token)}});
        EXPECT_EQ(answers[0].status, 200U) << answers[0].body;
        if (version > 1) EXPECT_NE(answers[1].status, 503U) << answers[1].body;
        const std::string last =
            value_of(t.service, "action FROM term_policy_acceptances ORDER BY sequence DESC LIMIT 1");
        EXPECT_EQ(has_accepted(t.service, t.token, "marketing"), last == "accepted");
        if (last == "withdrawn") EXPECT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    }
    const std::string rows = value_of(t.service, "count(*) FROM term_policy_acceptances");
    EXPECT_EQ(value_of(t.service, "MAX(sequence) FROM term_policy_acceptances"), rows) << "no gap, nothing overwritten";
}

TEST(DOC_6, AcceptanceAndProfileDoNotUndoEachOther) {
    Signed t;
    for (const std::string& type : all_types) publish(t.service, type, 1);
    for (const char* type : {"termsOfService", "privacy"}) ASSERT_EQ(accept(t.service, t.token, type).status, 200U);
    std::vector<Call> calls{{.path = accept_path, .body = {{"type", "marketing"}}, .headers = bearer(t.token)}};
    for (int i = 0; i < 10; ++i)
        calls.push_back({.path = "/api/shared/user/profile",
                         .body = {{"name", "Ada"}},
                         .headers = bearer(t.token),
                         .method = "PUT"});
    EXPECT_EQ(count(all_at_once(t.service, calls), 200), 11U);
    EXPECT_EQ(flags(t.service, t.token), "1110");
    EXPECT_EQ(t.service.get("/api/shared/user/profile", bearer(t.token)).text("data.name"), "Ada");
}

// The new owner of an account withdraws what its former holder accepted, and each withdrawal is in the log.
TEST(DOC_6, AnAcceptanceDuringATakeOverStopsIt) {
    Signed t;
    for (const char* type : {"privacy", "cookies"}) publish(t.service, type, 1);
    ASSERT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    Services& services = t.service.app().services();
    const auto take_over = [&] {
        storage::Transaction transaction;
        run(services.consents.add_withdrawals(
            transaction, {.user = t.person.id, .types = {PolicyType::privacy, PolicyType::cookies}},
            t.service.clock().now()));
        return transaction;
    };
    auto late = take_over();
    ASSERT_EQ(accept(t.service, t.token, "cookies").status, 200U);
    EXPECT_FALSE(run(services.database.commit(std::move(late))).committed);
    EXPECT_EQ(history(t.service, t.person), "cookies 1 accepted, privacy 1 accepted");
    EXPECT_TRUE(run(services.database.commit(take_over())).committed);
    EXPECT_EQ(history(t.service, t.person),
              "cookies 1 accepted, cookies 1 withdrawn, privacy 1 accepted, privacy 1 withdrawn");
    EXPECT_EQ(value_of(t.service,
                       "count(*) FROM term_policy_acceptances a "
                       "WHERE NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.id = a.id)"),
              "0");
}

}  // namespace
}  // namespace consentry::tests
