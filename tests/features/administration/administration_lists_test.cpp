// Tests lists of accounts: what they find, in which order, and for whom.
#include <fstream>
#include <set>

#include "app/app.hpp"
#include "base/errors.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

struct Register : Keys {
    Register() {
        add("zoe@example.org", "bravo", "Ada Lovelace", "active", Role::user);
        add("yan@example.org", "alpha", "grace hopper", "inactive", Role::user);
        add("xi@example.org", "delta", {}, "blocked", Role::user);
        add("wu@example.org", "charlie", "50% of_all", "active", Role::admin);
        const std::string gone = service.tokens_of(service.make_person()).access;
        EXPECT_EQ(service.erase("/api/shared/user/delete/self", {}, bearer(gone)).status, 204U);
    }
    void add(const std::string& email, const std::string& username, std::optional<std::string> name,
             const std::string& status, Role role) {
        service.clock().advance(1s);
        const Person person = service.make_person(role);
        service.sql("UPDATE users SET email = '" + email + "', username = '" + username +
                    "', name = " + (name ? "'" + *name + "'" : "NULL") + ", status = '" + status + "' WHERE id = '" +
                    person.id.text() + "'");
    }
    Answer list(const std::string& query = {}) const { return call(chief, "GET", "user/list?" + query); }
    std::vector<std::string> emails(const std::string& query) const { return emails_of(list(query)); }
    static std::vector<std::string> emails_of(const Answer& answer) {
        EXPECT_EQ(answer.status, 200U) << answer.body;
        std::vector<std::string> out;
        if (answer.status == 200U)
            for (const auto& item : answer.json.at("data").as_array()) out.emplace_back(item.at("email").as_string());
        return out;
    }
};

using Emails = std::vector<std::string>;
const Emails newest_first{"wu@example.org", "xi@example.org", "yan@example.org", "zoe@example.org",
                          "person1@example.org"};

TEST(INP_4, AccountsComeInEveryOrderThatIsOffered) {
    Register all;
    EXPECT_EQ(all.emails(""), newest_first);
    EXPECT_EQ(all.emails("orderBy=createdAt:asc"), Emails(newest_first.rbegin(), newest_first.rend()));
    EXPECT_EQ(all.emails("orderBy=email:asc"), (Emails{"person1@example.org", "wu@example.org", "xi@example.org",
                                                       "yan@example.org", "zoe@example.org"}));
    EXPECT_EQ(all.emails("orderBy=username:asc&perPage=4"),
              (Emails{"yan@example.org", "zoe@example.org", "wu@example.org", "xi@example.org"}));
    // Deleted accounts appear in none of these lists.
    EXPECT_EQ(all.emails("orderBy=username:desc").size(), newest_first.size());
    EXPECT_EQ(all.emails("orderBy=username:asc&role=" + built_in(Role::user)).size(), 3U);
    EXPECT_EQ(all.emails("orderBy=email:asc&search=deleted"), Emails{});
    const Emails by_name = all.emails("orderBy=name:desc");
    EXPECT_EQ(std::set(by_name.begin(), by_name.end()), std::set(newest_first.begin(), newest_first.end()))
        << "those without a name too";
    EXPECT_TRUE(by_name.back() == "xi@example.org" || by_name.back() == "person1@example.org");
    for (const char* order : {"orderBy=password:asc", "orderBy=email:asc&orderBy=email:asc", "orderBy=status:asc"})
        expect_refused(all.list(order), errors::order_by_not_allowed, order);
}

TEST(INP_4, AccountsAreFilteredAndSearched) {
    Register all;
    EXPECT_EQ(all.emails("status=inactive,blocked"), (Emails{"xi@example.org", "yan@example.org"}));
    EXPECT_EQ(all.emails("role=" + built_in(Role::admin)), (Emails{"wu@example.org"}));
    EXPECT_EQ(all.emails("role=" + built_in(Role::user) + "&status=active"), (Emails{"zoe@example.org"}));
    EXPECT_EQ(all.emails("search=GRACE"), (Emails{"yan@example.org"}));
    EXPECT_EQ(all.emails("search=charl"), (Emails{"wu@example.org"}));
    EXPECT_EQ(all.emails("search=zoe@"), (Emails{"zoe@example.org"}));
    EXPECT_EQ(all.emails("search=50%25"), (Emails{"wu@example.org"})) << "a pattern stands for itself";
    EXPECT_EQ(all.emails("search=_"), (Emails{"wu@example.org"}));
    EXPECT_EQ(all.emails("search=nobody"), Emails{});
    expect_refused(all.list("status=deleted"), errors::filter_invalid_value);
    expect_refused(all.list("role=admin"), errors::filter_invalid_value, "the id of a role, not its type");
    EXPECT_TRUE(all.list("password=x").violates("password", "whitelistValidation"));
    expect_refused(all.list("cursor=abc"), errors::invalid_offset_params);
}

TEST(INP_4, AnInternationalAddressIsFoundAsItsOwnerWritesIt) {
    Register all;
    const std::string address =
        "b6@b\xC3\xBC"
        "cher.example";
    const json::object account{{"email", address}, {"roleId", built_in(Role::user)}};
    ASSERT_EQ(all.call(all.chief, "POST", "user/create", account).status, 201U);
    const Emails found{"b6@xn--bcher-kva.example"};
    const std::string written = "search=B6@b%C3%BCcher.example";
    const Answer answer = all.list(written);
    EXPECT_EQ(Register::emails_of(answer), found);
    EXPECT_EQ(answer.text("metadata.search"),
              "B6@b\xC3\xBC"
              "cher.example")
        << "as it was sent";
    EXPECT_EQ(all.emails("search=b6@xn--bcher-kva.example"), found);
    EXPECT_EQ(all.emails("search=@xn--bcher-kva"), found);
    EXPECT_EQ(all.emails("search=b7@b%C3%BCcher.example"), Emails{});
    const Headers system = with_key(all.make("system").text());
    EXPECT_EQ(Register::emails_of(all.service.get("/api/system/user/list?" + written, system)), found);
    const Answer table = all.call(all.chief, "POST", "user/export?" + written);
    EXPECT_TRUE(table.body.contains("\nb6@xn--bcher-kva.example;")) << table.body;
    EXPECT_FALSE(table.body.contains("example.org")) << table.body;
}

TEST(Refusals, NameWhatTheyAreAboutAndWhatIsAllowed) {
    Register all;
    const auto message = [](const Answer& answer) { return answer.text("message"); };
    EXPECT_EQ(message(all.list("orderBy=status:asc")),
              "orderBy accepts at most 3 of these fields, each once: createdAt, email, username, name.");
    EXPECT_EQ(message(all.call(all.chief, "GET", "user/" + built_in(Role::user) + "/activity-log/list?orderBy=x:asc")),
              "This list cannot be sorted by that field.");
    EXPECT_EQ(message(all.list("status=deleted")),
              "The filter status accepts only these values: active, inactive, blocked.");
    EXPECT_EQ(message(all.call(all.chief, "GET", "api-key/list?isActive=yes")),
              "The filter isActive accepts only these values: true, false.");
    EXPECT_EQ(message(all.call(all.chief, "POST", "user/export?status=x")),
              "The filter status accepts only these values: active, inactive, blocked.");
    EXPECT_EQ(message(all.call(all.chief, "POST", "user/export?role=x")),
              "The filter role has a value that is not allowed.");
    EXPECT_EQ(message(all.list("role=admin")), "The filter role has a value that is not allowed.");
    const std::string reader = all.admin_with({{"user", {"read"}}});
    EXPECT_EQ(message(all.call(reader, "PATCH", "user/update/" + built_in(Role::user) + "/status")),
              "You do not have all required permissions. Missing: user:update.");
    EXPECT_EQ(message(all.call(reader, "GET", "user/" + built_in(Role::user) + "/session/list")),
              "You do not have all required permissions. Missing: session:read.");
    EXPECT_EQ(message(all.service.get("/api/system/user/list")), "Please send an API key in the header x-api-key.");
    EXPECT_EQ(message(all.call(all.chief, "DELETE", "user/list")),
              "This address supports only these methods: GET, HEAD, OPTIONS.");
}

TEST(INP_4, ASearchOfVeryManyTakesTheIndexThatTheGuideTellsOf) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has no such index";
    Register all;
    all.service.sql(
        "INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at) SELECT gen_random_uuid(), 'person' || i * 7919 || '@example.org', "
        "'many' || i, 'user', '" +
        built_in(Role::user) +
        "', 'active', TRUE, i, 'website', 'credential', i, i FROM generate_series(100, 20000) i");
    const Emails without = all.emails("search=X15838");
    std::ifstream script(CONSENTRY_SEARCH_INDEX);
    for (std::string statement; std::getline(script, statement, ';');) {
        // Only psql knows \gexec.
        if (const auto end = statement.rfind("\\gexec"); end != std::string::npos)
            statement.erase(0, end + std::string_view("\\gexec").size());
        // CONCURRENTLY would wait for the transactions of all other tests.
        if (const auto beside = statement.find("CONCURRENTLY "); beside != std::string::npos)
            statement.erase(beside, std::string_view("CONCURRENTLY ").size());
        if (statement.contains("users") || statement.contains("EXTENSION")) all.service.sql(statement);
    }
    const auto uses = [&] {
        return all.service.sql(
            "SELECT idx_scan > 0 FROM pg_stat_user_indexes WHERE schemaname = current_schema() AND "
            "indexrelname = 'users_search'");
    };
    ASSERT_EQ(uses(), (SqlRows{{"0"}}));
    EXPECT_EQ(all.emails("search=X15838"), without);
    EXPECT_EQ(all.emails("search=RSON15838"),
              (Emails{"person158380000@example.org", "person15838000@example.org", "person1583800@example.org"}));
    // The server updates its statistics only now and then, unless a session requests it.
    run(all.service.app().services().database.search_with("SELECT CAST(pg_stat_force_next_flush() AS TEXT)", {}));
    EXPECT_TRUE(eventually([&] { return uses() == SqlRows{{"1"}}; }));
}

TEST(INP_4, PagesTellWhereTheyAre) {
    Register all;
    const Answer second = all.list("perPage=2&page=2");
    EXPECT_EQ(Register::emails_of(second), (Emails{"yan@example.org", "zoe@example.org"}));
    EXPECT_EQ(second.number("metadata.count"), 5);
    EXPECT_EQ(second.number("metadata.totalPage"), 3);
    EXPECT_EQ(second.number("metadata.nextPage"), 3);
}

TEST(INP_6, AListTellsNoSecrets) {
    Register all;
    const Answer page = all.list("");
    for (const char* secret : {"password", "hash", "securityVersion", "secret", "$argon2"})
        EXPECT_EQ(page.body.find(secret), std::string::npos) << secret;
    EXPECT_EQ(page.text("data.0.role.type"), "admin");
    const std::string id = page.text("data.0.id");
    const Answer one = all.call(all.chief, "GET", "user/get/" + id);
    ASSERT_EQ(one.status, 200U) << one.body;
    EXPECT_EQ(one.text("data.email"), "wu@example.org");
    EXPECT_EQ(one.text("data.role.name"), "admin");
    for (const char* secret : {"$argon2", "passwordHash", "\"secret\"", "securityVersion"})
        EXPECT_EQ(one.body.find(secret), std::string::npos) << secret;
}

TEST(AUT_1, OtherServicesWalkThroughAllAccounts) {
    Register all;
    const Headers system = with_key(all.make("system").text());
    Emails walked;
    std::string cursor;
    do {
        const Answer page = all.service.get("/api/system/user/list?perPage=2" + cursor, system);
        for (const std::string& email : Register::emails_of(page)) walked.push_back(email);
        ASSERT_LE(walked.size(), 5U);
        cursor = page.boolean("metadata.hasNext") ? "&cursor=" + page.text("metadata.nextCursor") : "";
    } while (!cursor.empty());
    EXPECT_EQ(walked, newest_first);
    EXPECT_EQ(Register::emails_of(all.service.get("/api/system/user/list?status=blocked", system)),
              (Emails{"xi@example.org"}));
    expect_refused(all.service.get("/api/system/user/list?orderBy=email:asc", system), errors::order_by_not_allowed);
}

}  // namespace
}  // namespace consentry::tests
