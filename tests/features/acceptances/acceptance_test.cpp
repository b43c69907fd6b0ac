// DOC-5, DOC-6: tests what an acceptance names, what is stored as its proof, and how it is withdrawn.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

TEST(DOC_5, AnAcceptanceNamesTheLatestVersionWhateverIsShownElsewhere) {
    Signed t;
    publish(t.service, "privacy", 1);
    EXPECT_EQ(flags(t.service, t.token), "1011") << "what was never published is not asked for";
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    EXPECT_EQ(flags(t.service, t.token), "1111");
    publish(t.service, "privacy", 3);
    EXPECT_EQ(flags(t.service, t.token), "1011");
    publish(t.service, "privacy", 2);
    EXPECT_EQ(flags(t.service, t.token), "1011") << "the highest number is the latest, not the one published last";
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    EXPECT_EQ(flags(t.service, t.token), "1111");
    EXPECT_EQ(history(t.service, t.person), "privacy 1 accepted, privacy 3 accepted");
}

TEST(DOC_5, WhoNamesWhatTheySawAcceptsNothingElse) {
    Signed t;
    publish(t.service, "privacy", 1, {"en", "de"});
    publish(t.service, "privacy", 2, {"de", "en"});
    for (const json::object& seen : {json::object{{"version", 1}}, json::object{{"contentHash", hash_of("privacy", 1)}},
                                     json::object{{"contentHash", std::string(64, '0')}},
                                     json::object{{"version", 1}, {"contentHash", hash_of("privacy", 2)}},
                                     json::object{{"version", 2}, {"contentHash", hash_of("privacy", 1)}},
                                     json::object{{"language", "de"}, {"contentHash", hash_of("privacy", 2, "en")}}}) {
        SCOPED_TRACE(json::serialize(seen));
        const Answer refused = accept(t.service, t.token, "privacy", seen);
        EXPECT_EQ(refused.status, 409U);
        EXPECT_EQ(refused.number("statusCode"), 6109);
        const json::value& policies = refused.json.at("data").at("policies");
        ASSERT_EQ(policies.as_array().size(), 1U);
        EXPECT_EQ(policies.at(0).at("type"), "privacy");
        EXPECT_EQ(policies.at(0).at("version"), 2);
        ASSERT_EQ(policies.at(0).at("contents").as_array().size(), 2U);
        const json::value& english = policies.at(0).at("contents").at(0);
        EXPECT_EQ(english.at("language"), "en");
        EXPECT_EQ(english.at("contentHash"), hash_of("privacy", 2).c_str());
        EXPECT_TRUE(json::value_to<std::string>(english.at("url")).ends_with("/term-policies/privacy/2/en.hbs"));
    }
    EXPECT_EQ(t.rows(), "0");
    std::string upper = hash_of("privacy", 2, "de");
    std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    EXPECT_EQ(
        accept(t.service, t.token, "privacy", {{"version", 2}, {"language", "de"}, {"contentHash", upper}}).status,
        200U);
    EXPECT_EQ(value_of(t.service, "language FROM term_policy_acceptances"), "de");
}

TEST(DOC_5, TheLanguageThatWasShownIsRecorded) {
    Signed t;
    const auto recorded = [&](const std::string& type, const json::object& more, const std::string& header = {}) {
        json::object body = more;
        body["type"] = type;
        Headers headers = bearer(t.token);
        if (!header.empty()) headers.emplace_back("x-custom-lang", header);
        EXPECT_EQ(t.service.post(accept_path, body, headers).status, 200U);
        return value_of(t.service, "language FROM term_policy_acceptances WHERE type = '" + type + "'");
    };
    publish(t.service, "termsOfService", 1, {"en", "de", "fr"});
    publish(t.service, "privacy", 1, {"en", "de"});
    publish(t.service, "marketing", 1, {"ja", "es"});
    publish(t.service, "cookies", 1, {"en", "de", "fr"});
    EXPECT_EQ(accept(t.service, t.token, "privacy", {{"language", "ja"}}).number("statusCode"), 6106);
    EXPECT_EQ(recorded("termsOfService", {{"language", "fr"}}, "de"), "fr") << "named";
    EXPECT_EQ(recorded("cookies", {{"contentHash", hash_of("cookies", 1, "de")}}, "fr"), "de") << "by its hash";
    EXPECT_EQ(recorded("privacy", {}, "de"), "de") << "the request's";
    EXPECT_EQ(recorded("marketing", {}, "de"), "es") << "the first there is";
}

TEST(DOC_5, EachEntryIsAProof) {
    Signed t;
    const std::string policy = publish(t.service, "privacy", 4, {"en", "id"});
    t.service.clock().advance(seconds{90});
    Headers headers = bearer(t.token);
    headers.emplace_back("User-Agent", "Browser of a test");
    ASSERT_EQ(t.service.post("/api/user/term-policy/accept", {{"type", "privacy"}}, headers).status, 200U);
    const auto rows = t.service.sql(
        "SELECT user_id, type, action, term_policy_id, version, language, content_hashes, accepted_at, ip_address, "
        "user_agent, session_id FROM term_policy_acceptances");
    ASSERT_EQ(rows.size(), 1U);
    const std::string session = value_of(t.service, "id FROM sessions WHERE user_id = '" + t.person.id.text() + "'");
    EXPECT_EQ(rows[0],
              (std::vector<std::string>{
                  t.person.id.text(), "privacy", "accepted", policy, "4", "en",
                  R"({"en":")" + hash_of("privacy", 4) + R"(","id":")" + hash_of("privacy", 4, "id") + "\"}",
                  std::to_string(epoch_ms(t.service.clock().now())), "127.0.0.1", "Browser of a test", session}));
    const auto activity =
        t.service.sql("SELECT metadata FROM activity_log WHERE action = 'userAcceptTermPolicy' AND user_id = '" +
                      t.person.id.text() + "'");
    ASSERT_EQ(activity.size(), 1U);
    const json::value metadata = json::parse(activity[0][0]);
    EXPECT_EQ(metadata.at("termPolicyId"), policy.c_str());
    EXPECT_EQ(metadata.at("version"), 4);
}

TEST(DOC_5, TheAcceptedListIsTheWholeHistoryNewestFirst) {
    Signed t;
    const std::string first = publish(t.service, "marketing", 1, {"en", "de"});
    EXPECT_EQ(t.service.get(accepted_path, bearer(t.token)).json.at("data").as_array().size(), 0U);
    ASSERT_EQ(accept(t.service, t.token, "marketing", {{"language", "de"}}).status, 200U);
    t.service.clock().advance(seconds{1});
    ASSERT_EQ(withdraw(t.service, t.token, "marketing").status, 200U);
    t.service.clock().advance(seconds{1});
    const std::string second = publish(t.service, "marketing", 2);
    ASSERT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    const Answer list = t.service.get("/api/user/term-policy/list/accepted", bearer(t.token));
    ASSERT_EQ(list.status, 200U) << list.body;
    const json::array& entries = list.json.at("data").as_array();
    ASSERT_EQ(entries.size(), 3U);
    const std::string admin = t.service.tokens_of(t.service.make_person(Role::admin)).access;
    const json::value user =
        t.service.get("/api/admin/user/list?search=" + t.person.email, bearer(admin)).json.at("data").at(0);
    for (const auto& [at, policy, version, action, language] :
         {std::tuple{0U, second, 2, "accepted", "en"}, std::tuple{1U, first, 1, "withdrawn", "de"},
          std::tuple{2U, first, 1, "accepted", "de"}}) {
        const json::object& entry = entries[at].as_object();
        EXPECT_EQ(entry.at("userId"), t.person.id.text().c_str());
        EXPECT_EQ(entry.at("termPolicyId"), policy.c_str());
        EXPECT_EQ(entry.at("action"), action);
        EXPECT_EQ(entry.at("language"), language);
        EXPECT_EQ(entry.at("termPolicy").at("type"), "marketing");
        EXPECT_EQ(entry.at("termPolicy").at("version"), version);
        EXPECT_EQ(entry.at("termPolicy").at("status"), "published");
        EXPECT_EQ(entry.at("contentHashes").at(0).at("contentHash"), hash_of("marketing", version).c_str());
        EXPECT_FALSE(entry.at("termPolicy").as_object().contains("createdBy")) << "who wrote it is not the user's";
        EXPECT_EQ(entry.at("createdAt"), entry.at("acceptedAt"));
        EXPECT_EQ(entry.at("createdBy"), t.person.id.text().c_str());
        EXPECT_EQ(entry.at("user"), user) << entry;
    }
    EXPECT_GT(entries[0].at("acceptedAt").as_string(), entries[1].at("acceptedAt").as_string());
    // Pages show the same entries, and never those of other users.
    const Answer page = t.service.get(std::string(accepted_path) + "?perPage=2", bearer(t.token));
    EXPECT_EQ(page.json.at("data").as_array().size(), 2U);
    const Answer rest = t.service.get(
        std::string(accepted_path) + "?perPage=2&cursor=" + page.text("metadata.nextCursor"), bearer(t.token));
    ASSERT_EQ(rest.json.at("data").as_array().size(), 1U) << rest.body;
    EXPECT_EQ(rest.json.at("data").at(0).at("id"), entries[2].at("id"));
    const std::string other = t.service.tokens_of(t.service.make_person()).access;
    EXPECT_EQ(t.service.get(accepted_path, bearer(other)).json.at("data").as_array().size(), 0U);
}

TEST(DOC_5, TheExportHasEveryProof) {
    Signed t;
    publish(t.service, "cookies", 7, {"en", "ja"});
    ASSERT_EQ(accept(t.service, t.token, "cookies", {{"language", "ja"}}).status, 200U);
    ASSERT_EQ(withdraw(t.service, t.token, "cookies").status, 200U);
    const Answer answer = t.service.get("/api/shared/user/export", bearer(t.token));
    ASSERT_EQ(answer.status, 200U);
    const json::value document = json::parse(answer.body);
    const json::array& entries = document.at("acceptances").as_array();
    ASSERT_EQ(entries.size(), 2U);
    const std::string session = value_of(t.service, "id FROM sessions WHERE user_id = '" + t.person.id.text() + "'");
    std::set<std::string> actions;
    for (const json::value& entry : entries) {
        actions.insert(json::value_to<std::string>(entry.at("action")));
        EXPECT_EQ(entry.at("type"), "cookies");
        EXPECT_EQ(entry.at("version"), 7);
        EXPECT_EQ(entry.at("language"), "ja");
        EXPECT_EQ(entry.at("ipAddress"), "127.0.0.1");
        EXPECT_EQ(entry.at("contentHashes").at(1).at("contentHash"), hash_of("cookies", 7, "ja").c_str());
        EXPECT_EQ(entry.at("sessionId"), session.c_str());
    }
    EXPECT_EQ(actions, (std::set<std::string>{"accepted", "withdrawn"}));
}

TEST(DOC_6, AcceptingOneTypeLeavesTheOthersAlone) {
    Signed t;
    for (const std::string& type : all_types) publish(t.service, type, 1);
    std::string expected = "0000";
    for (std::size_t i = 0; i < all_types.size(); ++i) {
        EXPECT_EQ(accept(t.service, t.token, all_types[i]).status, 200U);
        expected[i] = '1';
        EXPECT_EQ(flags(t.service, t.token), expected);
    }
    publish(t.service, "marketing", 2);
    EXPECT_EQ(flags(t.service, t.token), "1101");
    const Answer profile = t.service.get("/api/shared/user/profile", bearer(t.token));
    ASSERT_EQ(profile.status, 200U) << profile.body;
    EXPECT_TRUE(profile.boolean("data.termPolicy.termsOfService"));
    EXPECT_TRUE(profile.boolean("data.termPolicy.privacy"));
    EXPECT_FALSE(profile.boolean("data.termPolicy.marketing"));
    EXPECT_TRUE(profile.boolean("data.termPolicy.cookies"));
}

TEST(DOC_6, WhatDoesNotExistOrIsAcceptedAlreadyChangesNothing) {
    Signed t;
    for (const std::string& type : all_types) {
        const Answer refused = accept(t.service, t.token, type);
        EXPECT_EQ(refused.status, 404U);
        EXPECT_EQ(refused.number("statusCode"), 6100);
    }
    EXPECT_EQ(t.rows(), "0");
    publish(t.service, "privacy", 1);
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    const Answer again = accept(t.service, t.token, "privacy", {{"version", 1}});
    EXPECT_EQ(again.status, 409U);
    EXPECT_EQ(again.number("statusCode"), 6103);
    for (const json::object& body :
         {json::object{}, json::object{{"type", "terms"}}, json::object{{"type", "privacy"}, {"version", 0}},
          json::object{{"type", "privacy"}, {"version", 1.5}}, json::object{{"type", "privacy"}, {"language", "xx"}},
          json::object{{"type", "privacy"}, {"contentHash", "../x"}},
          json::object{{"type", "privacy"}, {"userId", "1"}}})
        EXPECT_EQ(t.service.post(accept_path, body, bearer(t.token)).status, 422U) << json::serialize(body);
    EXPECT_EQ(t.rows(), "1");
    EXPECT_EQ(t.service.post(accept_path, {{"type", "privacy"}}).status, 401U);
}

TEST(Withdrawal, IsAsEasyAsAcceptingAndKeptInTheHistory) {
    Signed t;
    publish(t.service, "marketing", 1);
    EXPECT_EQ(withdraw(t.service, t.token, "marketing").number("statusCode"), 6113);
    EXPECT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    EXPECT_EQ(withdraw(t.service, t.token, "marketing").status, 200U);
    EXPECT_FALSE(has_accepted(t.service, t.token, "marketing"));
    EXPECT_EQ(withdraw(t.service, t.token, "marketing").status, 409U);
    EXPECT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    EXPECT_TRUE(has_accepted(t.service, t.token, "marketing"));
    // Withdrawing also covers an acceptance of an older version.
    publish(t.service, "marketing", 2);
    EXPECT_EQ(withdraw(t.service, t.token, "marketing").status, 200U);
    EXPECT_EQ(history(t.service, t.person),
              "marketing 1 accepted, marketing 1 withdrawn, marketing 1 accepted, marketing 1 withdrawn");
    EXPECT_EQ(value_of(t.service, "count(*) FROM activity_log WHERE action = 'userWithdrawTermPolicy' AND user_id = '" +
                                      t.person.id.text() + "'"),
              "2");
}

TEST(Withdrawal, IsForTheTypesThatTheOperatorNames) {
    Signed t{Environment{}};
    for (const std::string& type : all_types) {
        publish(t.service, type, 1);
        EXPECT_EQ(accept(t.service, t.token, type).status, 200U);
    }
    for (const char* type : {"termsOfService", "privacy"}) {
        const Answer refused = withdraw(t.service, t.token, type);
        EXPECT_EQ(refused.status, 400U);
        EXPECT_EQ(refused.number("statusCode"), 6111);
    }
    EXPECT_EQ(flags(t.service, t.token), "1111");
    for (const char* type : {"marketing", "cookies"}) EXPECT_EQ(withdraw(t.service, t.token, type).status, 200U);
    EXPECT_EQ(flags(t.service, t.token), "1100");
    t.service.restart({{"TERM_POLICY_WITHDRAWABLE", "privacy"}});
    EXPECT_EQ(withdraw(t.service, t.token, "privacy").status, 200U);
    EXPECT_EQ(withdraw(t.service, t.token, "cookies").number("statusCode"), 6111);
    EXPECT_EQ(flags(t.service, t.token), "1000");
}

TEST(LOG_4, ConsentIsTold) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 5);
    accept(t.service, t.token, "marketing", {{"version", 4}});
    accept(t.service, t.token, "marketing");
    accept(t.service, t.token, "marketing");
    withdraw(t.service, t.token, "marketing");
    withdraw(t.service, t.token, "marketing");
    t.service.restart();
    std::vector<std::string> told;
    for (const json::object& event : entries_in(t.service.folder() / "data" / "security" / "events.log")) {
        const std::string name = json::value_to<std::string>(event.at("event"));
        if (!name.starts_with("consent.")) continue;
        told.push_back(name);
        EXPECT_EQ(json::value_to<std::string>(event.at("actor")), t.person.id.text());
        EXPECT_EQ(event.at("detail").at("type"), "marketing");
        EXPECT_EQ(event.at("source"), "127.0.0.1");
    }
    EXPECT_EQ(told, (std::vector<std::string>{"consent.accepted", "consent.withdrawn"})) << "what took effect";
}

TEST(DOC_5, AnAcceptanceThatIsNotWrittenWasNotGiven) {
    Signed t{Environment{}};
    publish(t.service, "privacy", 1);
    for (const char* table : {"term_policy_acceptances", "activity_log"}) {
        t.service.break_writes(std::string("INSERT ON ") + table);
        EXPECT_EQ(accept(t.service, t.token, "privacy").status, 503U) << table;
        t.service.mend_writes();
        EXPECT_EQ(t.rows(), "0");
        EXPECT_FALSE(has_accepted(t.service, t.token, "privacy"));
    }
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
}

TEST(DOC_5, ADeletedAccountLeavesItsProofsUnderItsNumber) {
    Signed t;
    publish(t.service, "privacy", 1);
    ASSERT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    ASSERT_EQ(t.service.erase("/api/shared/user/delete/self", {}, bearer(t.token)).status, 204U);
    EXPECT_EQ(history(t.service, t.person), "privacy 1 accepted");
}

}  // namespace
}  // namespace consentry::tests
