// Tests who sees which term policies (DOC-3), and what a publication would mean.
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/calls/role_calls.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

std::string versions_in(const Answer& answer) {
    EXPECT_EQ(answer.status, 200U) << answer.body;
    std::string out;
    for (const auto& policy : answer.json.at("data").as_array())
        out.append(out.empty() ? "" : " ")
            .append(policy.at("type").as_string())
            .append("/")
            .append(std::to_string(policy.at("version").as_int64()))
            .append(policy.at("status").as_string() == "draft" ? "?" : "");
    return out;
}

TEST(DOC_3, DraftsAreForAdministratorsAlone) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}));
    service.pass(std::chrono::seconds{1});
    const std::string draft = desk.draft("privacy", 2, texts_in({"en"}));
    const Headers user = bearer(service.tokens_of(service.make_person()).access);
    const Headers admin = bearer(desk.token());
    for (const char* path : {"/api/term-policy/list", "/api/v1/term-policy/list", "/api/public/term-policy/list"}) {
        for (const char* filter : {"", "?status=published", "?status=draft,published", "?type=privacy"}) {
            const std::string list = std::string(path) + filter;
            EXPECT_EQ(versions_in(service.get(list)), "privacy/1") << list;
            EXPECT_EQ(versions_in(service.get(list, user)), "privacy/1") << list;
        }
        const std::string drafts = std::string(path) + "?status=draft";
        EXPECT_EQ(versions_in(service.get(drafts)), "") << drafts;
        EXPECT_EQ(versions_in(service.get(drafts, user)), "") << drafts;
        EXPECT_EQ(versions_in(service.get(drafts, admin)), "privacy/2?") << drafts;
        EXPECT_EQ(versions_in(service.get(path, admin)), "privacy/2? privacy/1");
        EXPECT_EQ(service.get(path, bearer("nonsense")).status, 401U) << "a bad token is not ignored";
        EXPECT_EQ(service.get(drafts + "x").status, 422U);
    }
    EXPECT_EQ(versions_in(service.get("/api/admin/term-policy/list", admin)), "privacy/2? privacy/1");
    EXPECT_EQ(service.get("/api/admin/term-policy/list", user).status, 403U);
    EXPECT_EQ(service.get("/api/admin/term-policy/list").status, 401U);
    EXPECT_EQ(service.call("POST", "/api/term-policy/get/" + draft + "/content/en", {}, user).status, 403U);
    const std::string file = "/files/public/" + draft_key("privacy", 2, "en");
    EXPECT_EQ(HttpClient(service.port()).get(file).status, 404U);
    EXPECT_EQ(HttpClient(service.port()).get("/files/private/" + draft_key("privacy", 2, "en")).status, 403U);
}

TEST(DOC_3, AnAdministratorWithoutTheAbilityIsAStranger) {
    Staff staff;
    const PolicyDesk desk(staff.service);
    desk.draft("privacy", 1, texts_in({"en"}));
    const auto list_with = [&](const Abilities& abilities) {
        return versions_in(staff.service.get("/api/term-policy/list", bearer(staff.admin_with(abilities))));
    };
    EXPECT_EQ(list_with({{"user", {"manage"}}}), "");
    EXPECT_EQ(list_with({{"termPolicy", {"read"}}}), "privacy/1?");
}

TEST(DOC_3, StrangersDoNotLearnWhoWroteIt) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}));
    const Answer of_stranger = service.get("/api/term-policy/list");
    EXPECT_FALSE(of_stranger.has("data.0.createdBy"));
    EXPECT_FALSE(of_stranger.has("data.0.updatedBy"));
    EXPECT_TRUE(of_stranger.has("data.0.publishedAt"));
    EXPECT_EQ(service.get("/api/term-policy/list", bearer(desk.token())).text("data.0.createdBy"),
              desk.admin.id.text());
}

TEST(TermPolicyList, FiltersOrdersAndPages) {
    Service service;
    const PolicyDesk desk(service);
    const Headers admin = bearer(desk.token());
    for (const int version : {3, 1, 2}) {
        service.pass(std::chrono::seconds{1});
        desk.published("privacy", version, texts_in({"en", "de"}));
    }
    service.pass(std::chrono::seconds{1});
    desk.draft("cookies", 7, texts_in({"en"}));
    const auto listed = [&](const std::string& query) {
        return versions_in(service.get("/api/admin/term-policy/list?" + query, admin));
    };
    EXPECT_EQ(listed(""), "cookies/7? privacy/2 privacy/1 privacy/3") << "the newest first";
    EXPECT_EQ(listed("type=privacy&orderBy=version:asc"), "privacy/1 privacy/2 privacy/3");
    EXPECT_EQ(listed("orderBy=publishedAt:asc"), "cookies/7? privacy/3 privacy/1 privacy/2");
    EXPECT_EQ(listed("type=cookies,marketing"), "cookies/7?");
    EXPECT_EQ(service.get("/api/term-policy/list?status=x").number("statusCode"), 5021);
    EXPECT_EQ(service.get("/api/term-policy/list?bogus=1").status, 422U);

    std::string walked;
    std::string cursor;
    do {
        const Answer page = service.get("/api/term-policy/list?perPage=1&orderBy=version:desc" + cursor);
        walked += versions_in(page) + " ";
        EXPECT_EQ(page.json.at("data").at(0).at("contents").as_array().size(), 2U);
        cursor = page.boolean("metadata.hasNext") ? "&cursor=" + page.text("metadata.nextCursor") : "";
    } while (!cursor.empty());
    EXPECT_EQ(walked, "privacy/3 privacy/2 privacy/1 ");
}

TEST(TermPolicyImpact, CountsWhoWouldHaveToAcceptAgain) {
    Service service;
    const PolicyDesk desk(service);
    const auto impact = [&](const std::string& id) {
        const Answer answer = service.get("/api/admin/term-policy/impact/" + id, bearer(desk.token()));
        EXPECT_EQ(answer.status, 200U) << answer.body;
        return std::pair(answer.number("data.affectedUsers"), answer.number("data.activeUsers"));
    };
    const std::string first = desk.draft("marketing", 2, texts_in({"en"}));
    const Person other = service.make_person();
    service.sql("UPDATE users SET status = 'inactive' WHERE id = '" + other.id.text() + "'");
    EXPECT_EQ(impact(first), std::pair(std::int64_t{1}, std::int64_t{1}))
        << "nobody has accepted a version before the first";
    desk.publish(first);
    const std::string next = desk.draft("marketing", 3, texts_in({"en"}));
    const std::string older = desk.draft("marketing", 1, texts_in({"en"}));
    std::vector<std::string> tokens;
    for (int i = 0; i < 4; ++i) {
        const Person person = service.make_person();
        tokens.push_back(service.tokens_of(person).access);
        const Headers headers = bearer(tokens.back());
        if (i < 3)
            EXPECT_EQ(service.post("/api/shared/user/term-policy/accept", {{"type", "marketing"}}, headers).status,
                      200U);
        if (i == 1)
            EXPECT_EQ(service.post("/api/shared/user/term-policy/withdraw", {{"type", "marketing"}}, headers).status,
                      200U);
        if (i == 2) service.sql("UPDATE users SET status = 'inactive' WHERE id = '" + person.id.text() + "'");
    }
    EXPECT_EQ(impact(next), std::pair(std::int64_t{1}, std::int64_t{4}));
    EXPECT_EQ(impact(older).first, 0) << "an older version asks nobody";
    EXPECT_EQ(impact(first).first, 0) << "it is published already";
    EXPECT_EQ(service.get("/api/admin/term-policy/impact/01890000-0000-7000-8000-000000000000", bearer(desk.token()))
                  .number("statusCode"),
              6100);
}

// Five portions of 1,000 accounts, each of which takes the database a quarter of the time that a request has.
TEST(TermPolicyImpact, CountsHoweverLongAllPortionsTake) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has no function that waits";
    Service service({{"REQUEST_TIMEOUT_IN_MS", "2000"}});
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}));
    const std::string next = desk.draft("privacy", 2, texts_in({"en"}));
    service.sql(
        "INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at) SELECT CAST('01890000-0000-7000-8000-' || lpad(i::text, 12, '0') AS "
        "UUID), 'many' || i || '@example.org', 'many-' || i, 'user', '00000000-0000-7000-8000-000000000001', 'active', "
        "TRUE, 1, 'website', 'credential', 1, 1 FROM generate_series(1, 4500) i");
    service.sql(
        "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, version, language, "
        "content_hashes, accepted_at) SELECT u.id, u.id, p.type, 1, 'accepted', p.id, 1, 'en', '{}', 1 FROM users u, "
        "term_policies p WHERE p.version = 1 AND u.username LIKE 'many-%500'");
    service.sql("ALTER TABLE term_policy_acceptances RENAME TO quick_acceptances");
    service.sql(
        "CREATE VIEW term_policy_acceptances AS SELECT a.* FROM quick_acceptances a, LATERAL (SELECT pg_sleep(0.5) "
        "WHERE a.user_id IS NOT NULL OFFSET 0) AS slow");
    const Answer answer = service.get("/api/admin/term-policy/impact/" + next, bearer(desk.token()));
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(answer.number("data.activeUsers"), 4'501);
    EXPECT_EQ(answer.number("data.affectedUsers"), 5);
}

}  // namespace
}  // namespace consentry::tests
