// Tests the export and import of account tables over HTTP.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/role_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/security_events.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/wanted.hpp"

namespace consentry::tests {
namespace {

constexpr std::string_view header = "email;name;username;role;status;isVerified;language;createdAt\r\n";

struct Tables : Staff {
    using Staff::Staff;

    Answer export_with(const std::string& query = {}) const { return call(chief, "POST", "user/export" + query); }
    Answer import_with(const std::string& table, const std::string& query = {}, const std::string& token = {}) const {
        Headers headers = bearer(token.empty() ? chief : token);
        headers.emplace_back("Content-Type", "text/csv");
        return service.call("POST", "/api/admin/user/import" + query, table, headers);
    }
    std::size_t count(const std::string& where) const {
        return std::stoul(service.sql("SELECT count(*) FROM users WHERE " + where).at(0).at(0));
    }
    void add_user(const std::string& email, const std::string& name) {
        const Person person = service.make_person();
        service.sql("UPDATE users SET email = '" + email + "', name = '" + name + "' WHERE id = '" + person.id.text() +
                    "'");
    }
};

std::vector<std::string> lines_of(const std::string& table) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < table.size();) {
        const std::size_t end = table.find("\r\n", at);
        out.push_back(table.substr(at, end - at));
        at = end + 2;
    }
    return out;
}

TEST(AUT_3, AnExportHoldsAccountsAndNoSecrets) {
    Tables tables;
    tables.add_user("ada@example.org", "Ada");
    tables.service.sql("UPDATE users SET deleted_at = 1 WHERE email = '" + tables.service.make_person().email + "'");
    const Answer table = tables.export_with();
    ASSERT_EQ(table.status, 200U) << table.body;
    EXPECT_EQ(table.headers.at("content-type"), "text/csv; charset=utf-8");
    EXPECT_EQ(table.headers.at("content-disposition"), "attachment; filename=export-1700000010000.csv");
    EXPECT_EQ(table.headers.at("cache-control"), "no-store");
    EXPECT_TRUE(table.body.starts_with(header)) << table.body;
    const auto lines = lines_of(table.body);
    ASSERT_EQ(lines.size(), 3U) << "header, the super admin, Ada, and nobody who was deleted";
    const auto ada = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("ada@"); });
    ASSERT_NE(ada, lines.end());
    EXPECT_TRUE(ada->starts_with("ada@example.org;Ada;user-")) << *ada;
    EXPECT_TRUE(ada->ends_with(";user;active;true;en;2023-11-14T22:13:30.000Z")) << *ada;
    EXPECT_EQ(table.body.find("$argon2"), std::string::npos);
    EXPECT_EQ(tables.service.sql("SELECT id FROM activity_log WHERE action = 'adminUserExport'").size(), 1U);
}

TEST(INP_1, FormulasOfAnExportAreDefused) {
    Tables tables(suite_service());
    const std::pair<std::string, std::string> names[] = {{"=HYPERLINK(1)", "'=HYPERLINK(1)"},
                                                         {"+1", "'+1"},
                                                         {"-1", "'-1"},
                                                         {"@SUM(A1)", "'@SUM(A1)"},
                                                         {"\t=1", "'\t=1"},
                                                         {"a;b", "\"a;b\""},
                                                         {"say \"x\"", "\"say \"\"x\"\"\""},
                                                         {"two\nlines", "\"two\nlines\""},
                                                         {" edge", "\" edge\""}};
    int n = 0;
    for (const auto& [name, written] : names) tables.add_user("n" + std::to_string(n++) + "@example.org", name);
    const Answer table = tables.export_with();
    n = 0;
    for (const auto& [name, written] : names)
        EXPECT_TRUE(table.body.contains("n" + std::to_string(n++) + "@example.org;" + written + ";user-"))
            << name << " in\n"
            << table.body;
}

TEST(INP_4, AnExportIsNarrowedAsTheListIs) {
    Tables tables;
    tables.add_user("ada@example.org", "Ada");
    tables.add_user("bob@example.org", "Bob");
    tables.service.sql("UPDATE users SET status = 'blocked' WHERE email = 'bob@example.org'");
    const auto rows = [&](const std::string& query) {
        const Answer table = tables.export_with(query);
        EXPECT_EQ(table.status, 200U) << table.body;
        return lines_of(table.body).size() - 1;
    };
    EXPECT_EQ(rows(""), 3U);
    EXPECT_EQ(rows("?status=blocked"), 1U);
    EXPECT_EQ(rows("?status=blocked,active"), 3U);
    EXPECT_EQ(rows("?role=" + built_in(Role::user)), 2U);
    EXPECT_EQ(rows("?search=ADA@"), 1U);
    EXPECT_EQ(rows("?search=nobody"), 0U);
    EXPECT_EQ(rows("?role=&status=&search="), 3U) << "a filter without a value is ignored";
    for (const char* query : {"?status=gone", "?role=admin"}) {
        expect_refused(tables.export_with(query), errors::filter_invalid_value, query);
        expect_refused(tables.call(tables.chief, "GET", "user/list" + std::string(query)),
                       errors::filter_invalid_value);
    }
    for (const char* query : {"?page=2", "?orderBy=email:asc"})
        EXPECT_EQ(tables.export_with(query).status, 422U) << query;
}

TEST(FLT_6, AnExportOfManyIsWholeInItsOrderAndHasEachOnce) {
    Tables tables;
    // More than five portions, whose ends fall between accounts of the same time.
    const auto many = static_cast<std::size_t>(wanted("CONSENTRY_ROWS", 2'600));
    tables.service.sql(
        "INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
        "< " +
        std::to_string(many) +
        ") SELECT CAST('01890000-0000-7000-8000-' || substr('000000000000' || i, length('000000000000' || i) - 11) "
        "AS " +
        std::string(on_shared_engines() ? "UUID" : "TEXT") +
        "), 'many' || i || '@example.org', 'many-' || i, 'user', " + (on_shared_engines() ? "CAST(" : "") +
        "'00000000-0000-7000-8000-000000000001'" + (on_shared_engines() ? " AS UUID)" : "") +
        ", 'active', TRUE, 1, 'system', 'credential', i / 7, 1 FROM n");
    const Answer table = tables.export_with("?search=many");
    ASSERT_EQ(table.status, 200U);
    const auto lines = lines_of(table.body);
    ASSERT_EQ(lines.size(), many + 1);
    for (std::size_t i = 1; i <= many; ++i) ASSERT_TRUE(lines[i].starts_with("many" + std::to_string(i) + "@")) << i;
    EXPECT_EQ(table.headers.at("transfer-encoding"), "chunked");
}

TEST(AUT_3, AnImportMakesAccountsWhoseOwnersSetTheirPassword) {
    Tables tables(suite_service());
    const std::string table = "email;name;role\r\nada@example.org;Ada;user\r\nBob@Example.org;\"B;ob\";\r\n";
    const Answer dry = tables.import_with(table, "?dryRun=true");
    ASSERT_EQ(dry.status, 200U) << dry.body;
    EXPECT_EQ(dry.number("data.imported"), 2);
    EXPECT_EQ(tables.count("email IN ('ada@example.org', 'bob@example.org') OR name IN ('Ada', 'B;ob')"), 0U)
        << "nothing yet";
    const Answer done = tables.import_with(table);
    ASSERT_EQ(done.status, 200U) << done.body;
    EXPECT_EQ(done.number("data.rows"), 2);
    EXPECT_EQ(done.number("data.imported"), 2);
    EXPECT_EQ(tables.count("email = 'bob@example.org' AND name = 'B;ob' AND sign_up_from = 'admin' AND password_hash "
                           "IS NULL"),
              1U);
    EXPECT_TRUE(tables.service.get("/api/shared/user/activity-log/list", bearer(tables.chief))
                    .body.contains("adminUserImport"));
    expect_refused(tables.service.log_in("ada@example.org", "Velvet-Harbor-42"), errors::password_not_match);
    const Answer again = tables.import_with("email\r\nada@example.org\r\nnew@example.org\r\n");
    expect_refused(again, errors::import_email_exist);
    EXPECT_EQ(again.json.at("data").at("emails"), (json::array{"ada@example.org"}));
    EXPECT_EQ(tables.count("email = 'new@example.org'"), 0U) << "all or none";
}

// Only an account that a person signed up for can be a stranger's.
TEST(SOC_3, WhatAnAdministratorImportedStaysWhenTheOwnerGetsTheFirstPassword) {
    Tables tables;
    Service& service = tables.service;
    ASSERT_EQ(tables.import_with("email;name;language\r\nada@example.org;Ada;de\r\nbob@example.org;Bob;fr\r\n").status,
              200U);
    ASSERT_EQ(sign_up(service, "eve@example.org").status, 201U);
    service.sql("UPDATE users SET name = 'Eve' WHERE email = 'eve@example.org'");
    service.sql("UPDATE users SET gender = 'female'");
    const auto id_of = [&](const std::string& email) {
        return service.sql("SELECT id FROM users WHERE email = '" + email + "'").at(0).at(0);
    };
    const auto reset_of = [&](const std::string& email) {
        EXPECT_EQ(forget(service, email).status, 200U);
        return reset(service, forgotten_token(service, email), "Copper-Meadow-77").status;
    };
    ASSERT_EQ(reset_of("ada@example.org"), 200U);
    ASSERT_EQ(tables.call(tables.chief, "PUT", "user/update/" + id_of("bob@example.org") + "/password").status, 200U);
    ASSERT_EQ(reset_of("eve@example.org"), 200U);

    EXPECT_EQ(tables.count("email = 'ada@example.org' AND name = 'Ada' AND gender = 'female' AND language = 'de'"), 1U);
    EXPECT_EQ(tables.count("email = 'bob@example.org' AND name = 'Bob' AND gender = 'female' AND language = 'fr'"), 1U);
    EXPECT_EQ(tables.count("email = 'eve@example.org' AND name IS NULL AND gender IS NULL"), 1U);
    EXPECT_EQ(tables.count("is_verified AND email IN ('ada@example.org', 'bob@example.org', 'eve@example.org')"), 3U);
    // Events keep their order.
    ASSERT_TRUE(eventually(
        [&] { return accounts_of_event(service, "account.taken_over").contains(id_of("eve@example.org")); }));
    EXPECT_EQ(accounts_of_event(service, "account.taken_over").size(), 1U) << "the account that a person signed up for";
}

TEST(AUT_3, AnImportTakesAForm) {
    Tables tables(suite_service());
    Headers headers = bearer(tables.chief);
    headers.emplace_back("Content-Type", "multipart/form-data; boundary=b");
    const Answer done = tables.service.call("POST", "/api/admin/user/import",
                                            "--b\r\nContent-Disposition: form-data; name=\"file\"; "
                                            "filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\nemail;name\r\n"
                                            "ida@example.org;Ida\r\n--b--\r\n",
                                            headers);
    EXPECT_EQ(done.status, 200U) << done.body;
    EXPECT_EQ(tables.count("email = 'ida@example.org'"), 1U);
}

TEST(INP_1, EveryBadRowIsTold) {
    Tables tables(suite_service());
    const Answer refused =
        tables.import_with("email;name;status\r\nada@example.org;Ada;active\r\nnobody;x;gone\r\nada@example.org;;\r\n");
    expect_refused(refused, errors::file_validation);
    const auto& rows = refused.json.at("errors").as_array();
    ASSERT_EQ(rows.size(), 2U) << refused.body;
    EXPECT_EQ(rows[0].at("row"), 1);
    EXPECT_EQ(rows[0].at("errors").as_array().size(), 2U) << refused.body;
    EXPECT_EQ(rows[0].at("errors").at(0).at("property"), "email");
    EXPECT_EQ(rows[0].at("errors").at(0).at("key"), "isEmail");
    EXPECT_EQ(rows[1].at("row"), 2);
    EXPECT_EQ(tables.count("name = 'Ada'"), 0U);
}

TEST(INP_1, WhatIsNoTableIsRefused) {
    Tables tables(suite_service());
    const Answer unknown = tables.import_with("mail\r\na@example.org\r\n");
    expect_refused(unknown, errors::file_unreadable);
    EXPECT_EQ(unknown.text("message"),
              "The file has an unknown column mail. Known columns: email, name, username, role, status, isVerified, "
              "language, createdAt.");
    expect_refused(tables.import_with("email\r\n\"never closed\r\n"), errors::file_unreadable);
    for (const std::string& header : {std::string("email;\"name\r\na@example.org;Ada\r\n"), std::string(70'000, 'x')}) {
        const Answer refused = tables.import_with(header);
        expect_refused(refused, errors::file_unreadable);
        EXPECT_EQ(refused.text("message"), "The first line, which names the columns, cannot be read.");
        EXPECT_THAT(refused.body, testing::Not(testing::HasSubstr("\"row\"")));
    }
    const Answer empty = tables.import_with("");
    expect_refused(empty, errors::file_required);
    EXPECT_EQ(empty.text("message"), "The file is empty.");
    std::string many = "email\r\n";
    for (int i = 0; i < 1'001; ++i) many += "a" + std::to_string(i) + "@example.org\r\n";
    expect_refused(tables.import_with(many), errors::file_too_many_rows);
    EXPECT_EQ(tables.count("email LIKE 'a%@example.org'"), 0U);
    Headers json_body = bearer(tables.chief);
    json_body.emplace_back("Content-Type", "application/json");
    expect_refused(tables.service.call("POST", "/api/admin/user/import", "[]", json_body),
                   errors::file_extension_invalid);
    EXPECT_TRUE(tables.import_with("email\r\n", "?dryRun=maybe").violates("dryRun", "isBoolean"));
}

TEST(REC_6, NoAdministratorPicksAPasswordByImport) {
    Tables tables(suite_service());
    const Person person = tables.service.make_person();
    const std::string hash =
        tables.service.sql("SELECT password_hash FROM users WHERE id = '" + person.id.text() + "'").at(0).at(0);
    for (const auto& [column, value] :
         {std::pair{"passwordHash", hash}, {"googleSubject", "1234567890"}, {"appleSubject", "001.x"}}) {
        const Answer refused =
            tables.import_with("email;" + std::string(column) + "\r\neve@example.org;" + value + "\r\n");
        expect_refused(refused, errors::file_unreadable, column);
        EXPECT_EQ(refused.text("data.column"), column);
        EXPECT_EQ(refused.text("data.known"), "email, name, username, role, status, isVerified, language, createdAt");
        expect_refused(tables.import_with("email;" + std::string(column) + "\r\neve@example.org;\r\n"),
                       errors::file_unreadable, "a column without a value");
    }
    EXPECT_EQ(tables.count("email = 'eve@example.org'"), 0U);
}

TEST(AUT_3, AnImportGivesNoRoleBeyondTheImportersRights) {
    Tables tables(suite_service());
    const std::string limited = tables.admin_with({{"user", {"read", "create"}}});
    expect_refused(tables.import_with("email;role\r\neve@example.org;admin\r\n", "", limited), errors::file_validation);
    expect_refused(tables.import_with("email;role\r\neve@example.org;superadmin\r\n", "", limited),
                   errors::file_validation);
    EXPECT_EQ(tables.import_with("email;role\r\neve@example.org;user\r\n", "", limited).status, 200U);
    const std::string reader = tables.admin_with({{"user", {"read"}}});
    expect_refused(tables.import_with("email\r\nx@example.org\r\n", "", reader), errors::policy_forbidden);
    EXPECT_EQ(tables.count("role <> 'user' AND email IN ('eve@example.org', 'x@example.org')"), 0U);
}

// The activity log has room for some of their ids.
TEST(AUT_3, AnImportAssignsAnyNumberOfRoles) {
    Tables tables(suite_service());
    constexpr std::size_t many = 60;
    std::string table = "email;role\r\n";
    for (std::size_t i = 0; i < many; ++i) {
        const std::string name = "crew" + std::to_string(i);
        ASSERT_EQ(tables.create(tables.chief, name, "user", {}).status, 201U);
        table += name + "@example.org;" + name + "\r\n";
    }
    EXPECT_EQ(tables.import_with(table, "?dryRun=true").number("data.imported"), many);
    const Answer done = tables.import_with(table);
    ASSERT_EQ(done.status, 200U) << done.body;
    EXPECT_EQ(done.number("data.imported"), many);
    EXPECT_EQ(tables.count("email LIKE 'crew%@example.org'"), many);
    const auto log = tables.service.sql("SELECT metadata FROM activity_log WHERE metadata LIKE '{\"rows\":60,%'");
    ASSERT_EQ(log.size(), 1U);
    const json::object facts = json::parse(log[0].at(0)).as_object();
    EXPECT_EQ(facts.at("roles"), many);
    EXPECT_EQ(facts.at("roleIds").as_array().size(), 40U);
}

TEST(AUT_3, WhatWasExportedCanBeImported) {
    Tables tables(suite_service());
    tables.add_user("augusta@example.org", "Ada; \"the first\"");
    const std::string table = tables.export_with("?search=augusta@").body;
    tables.service.sql(
        "UPDATE users SET email = 'old@example.org', username = 'old' WHERE email = 'augusta@example.org'");
    const Answer done = tables.import_with(table);
    ASSERT_EQ(done.status, 200U) << done.body;
    EXPECT_EQ(tables.count("email = 'augusta@example.org' AND name = 'Ada; \"the first\"' AND is_verified"), 1U);
}

TEST(AUT_3, WhatASpreadsheetWouldRunComesBackAsItWas) {
    Tables tables;
    const std::vector<std::array<std::string, 3>> accounts{{"-minus@example.org", "=1+1", "-minus"},
                                                           {"+plus@example.org", "'=1+1", "---"},
                                                           {"_plain@example.org", "''@home", "_plain"},
                                                           {"quoted@example.org", "'quoted'", "quoted"},
                                                           {"last@example.org", "-", "-12"}};
    for (const auto& [email, name, username] : accounts) {
        std::string doubled = name;
        for (std::size_t at = 0; (at = doubled.find('\'', at)) != std::string::npos; at += 2) doubled.insert(at, "'");
        tables.service.clock().advance(std::chrono::milliseconds{1});  // the order of the export
        tables.add_user(email, doubled);
        tables.service.sql("UPDATE users SET username = '" + username + "' WHERE email = '" + email + "'");
    }
    const std::string query = "?search=example.org&role=" + built_in(Role::user);
    const std::string table = tables.export_with(query).body;
    EXPECT_FALSE(table.contains("\n-") || table.contains("\n+") || table.contains(";=") || table.contains(";-"));
    tables.service.sql("UPDATE users SET deleted_at = 1, email = id || ':', username = id || ':' WHERE role = 'user'");
    const Answer done = tables.import_with(table);
    ASSERT_EQ(done.status, 200U) << done.body;
    std::vector<std::array<std::string, 3>> imported;
    for (const auto& row : tables.service.sql("SELECT email, name, username FROM users WHERE deleted_at IS NULL "
                                              "AND role = 'user'"))
        imported.push_back({row.at(0), row.at(1), row.at(2)});
    EXPECT_THAT(imported, ::testing::UnorderedElementsAreArray(accounts));
    EXPECT_EQ(tables.export_with(query).body, table);
}

}  // namespace
}  // namespace consentry::tests
