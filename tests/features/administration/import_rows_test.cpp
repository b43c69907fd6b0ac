// Tests imports of many accounts: an import creates all of them or none, whatever happens meanwhile.
#include <functional>
#include <sstream>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/administration/import/converters.hpp"
#include "features/administration/import/csv_source.hpp"
#include "tests/support/admitted.hpp"
#include "tests/support/calls/role_calls.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string bcrypt_of_u_u = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

// A source that calls back when its end is read. By then all rows have been checked, but no account exists yet.
class Interrupted final : public ImportSource {
public:
    Interrupted(ImportSource& source, std::function<void()> at_end) : source_(source), at_end_(std::move(at_end)) {}
    Interrupted(const std::string& text, std::function<void()> at_end)
        : stream_(text), table_(std::in_place, stream_), source_(*table_), at_end_(std::move(at_end)) {}
    Result<std::optional<ImportRow>> next() override {
        auto row = source_.next();
        if (row && !*row) at_end_();
        return row;
    }

private:
    std::istringstream stream_;
    std::optional<CsvSource> table_;
    ImportSource& source_;
    std::function<void()> at_end_;
};

Result<ImportReport> try_import(Service& service, const std::string& text, ImportOptions options = {}) {
    std::istringstream stream(text);
    CsvSource source(stream);
    return run(service.app().services().user_import.run(source, std::move(options)));
}

ImportReport import(Service& service, const std::string& text, ImportOptions options = {}) {
    auto report = try_import(service, text, std::move(options));
    if (!report) throw std::runtime_error(std::string(report.error().message_key()));
    return std::move(*report);
}

ImportReport import_auth0(Service& service, const std::string& text, ImportOptions options = {}) {
    std::istringstream stream(text);
    const auto source = auth0_export(stream, nullptr);
    return run(service.app().services().user_import.run(*source, std::move(options))).value();
}

ImportReport import_keycloak(Service& service, const std::string& users) {
    std::istringstream stream(R"({"users":[)" + users + "]}");
    const auto source = keycloak_export(stream);
    return run(service.app().services().user_import.run(*source, {})).value();
}

int count(const Service& service, const std::string& from) {
    return std::stoi(service.sql("SELECT count(*) FROM " + from).at(0).at(0));
}

// Returns the violations in the form "3 email isEmail".
std::vector<std::string> told_in(const std::vector<RowErrors>& rows) {
    std::vector<std::string> out;
    for (const auto& [row, errors] : rows)
        for (const Violation& error : errors)
            out.push_back(std::to_string(row) + " " + error.property + " " + error.key);
    return out;
}
std::vector<std::string> broken_in(const ImportReport& report) { return told_in(report.bad_rows); }

std::string many(int from, int to) {
    std::string out = "email;isVerified;passwordHash\n";
    for (int i = from; i < to; ++i) out += "member" + std::to_string(i) + "@example.org;true;" + bcrypt_of_u_u + "\n";
    return out;
}

TEST(UserImport, EveryColumnIsTakenOver) {
    Service& service = suite_service();
    const std::string created = to_iso8601(service.clock().now() - std::chrono::hours{1000});
    const auto report =
        import(service,
               "email,name,username,role,status,isVerified,language,passwordHash,createdAt,googleSubject,appleSubject\n"
               "Ada@Example.org,\"Lovelace, Ada\",Ada_1,admin,active,true,de," +
                   bcrypt_of_u_u + "," + created +
                   ",g-1,a-1\n"
                   "bob@example.org,,,,inactive,false,,,,,\n");
    EXPECT_THAT(broken_in(report), IsEmpty());
    EXPECT_EQ(report.rows, 2);
    EXPECT_EQ(report.imported, 2);
    const auto rows = service.sql(
        "SELECT u.email, u.name, u.username, r.name, u.status, u.language, u.created_at, u.sign_up_at, u.sign_up_from, "
        "u.sign_up_with FROM users u JOIN roles r ON r.id = u.role_id WHERE u.email IN ('ada@example.org', "
        "'bob@example.org') ORDER BY u.email");
    const std::string then = std::to_string(epoch_ms(*from_iso8601(created)));
    EXPECT_THAT(rows.at(0), ElementsAre("ada@example.org", "Lovelace, Ada", "ada_1", "admin", "active", "de", then,
                                        then, "system", "credential"));
    EXPECT_EQ(rows.at(1).at(0), "bob@example.org");
    EXPECT_EQ(rows.at(1).at(4), "inactive");
    EXPECT_TRUE(rows.at(1).at(2).starts_with("user-"));
    EXPECT_THAT(
        service.sql("SELECT provider, subject, email FROM identities WHERE user_id IN (SELECT id FROM users WHERE "
                    "email IN ('ada@example.org', 'bob@example.org')) ORDER BY provider"),
        ElementsAre(ElementsAre("apple", "a-1", "ada@example.org"), ElementsAre("google", "g-1", "ada@example.org")));
    EXPECT_EQ(count(service, "import_rows"), 0);
}

TEST(UserImport, ARowWithoutAUsernameGetsOneWithThePrefixOfTheSettings) {
    Service service({{"USERNAME_PREFIX", "member"}});
    import(service, "email\ncarl@example.org\n");
    EXPECT_TRUE(service.sql("SELECT username FROM users").at(0).at(0).starts_with("member-"));
}

TEST(PWD_2, AnImportedPasswordWorksAndIsRewrittenEverywhere) {
    Service service;
    import(service, many(0, 1));
    const Answer answer = service.log_in("member0@example.org", "U*U");
    EXPECT_EQ(answer.status, 200U) << answer.body;
    for (const char* table : {"users", "password_history"}) {
        const auto hash = service.sql(std::string("SELECT password_hash FROM ") + table).at(0).at(0);
        EXPECT_TRUE(hash.starts_with("$argon2id$")) << table << " " << hash;
    }
    EXPECT_EQ(service.log_in("member0@example.org", "U*U").status, 200U);
}

TEST(UserImport, AnAccountIsNotVerifiedUnlessTheFileSaysSo) {
    Service& service = suite_service();
    import(service, "email;passwordHash\nunproven@example.org;" + bcrypt_of_u_u + "\n");
    EXPECT_EQ(service.log_in("unproven@example.org", "U*U").code_name(), "emailNotVerified");
}

// Otherwise the owner of the address would share the account with the owner of the identity.
TEST(SOC_3, AnUnprovenAddressIsNotImportedWithSomebodysIdentity) {
    Service service;
    const auto report = import(service,
                               "email,isVerified,googleSubject,appleSubject\n"
                               "a@example.org,false,g-1,\n"
                               "b@example.org,,,a-1\n"
                               "c@example.org,true,g-2,a-2\n");
    EXPECT_THAT(broken_in(report),
                ElementsAre("0 isVerified isVerifiedWithSubject", "1 isVerified isVerifiedWithSubject"));
    EXPECT_EQ(count(service, "users"), 0);
    EXPECT_EQ(count(service, "identities"), 0);
}

TEST(UserImport, ASubjectThatNoIdentityTokenNamesIsRefused) {
    Service& service = suite_service();
    const auto report = import(service,
                               "email;isVerified;googleSubject;appleSubject\n"
                               "umlaut@example.org;true;g-\xc3\xbc;\n"
                               "lines@example.org;true;;\"a\n1\"\n"
                               "good@example.org;true; ~;\n");
    EXPECT_THAT(broken_in(report),
                ElementsAre("0 googleSubject isIdentitySubject", "1 appleSubject isIdentitySubject"));
}

TEST(UserImport, AFormulaIsAName) {
    Service& service = suite_service();
    import(service, "email;name\nformula@example.org;\"=HYPERLINK(\"\"http://x\"\")\"\n");
    EXPECT_EQ(service.sql("SELECT name FROM users WHERE email = 'formula@example.org'").at(0).at(0),
              "=HYPERLINK(\"http://x\")");
}

TEST(UserImport, EveryBrokenRuleOfEveryRowIsToldAndNothingGetsIn) {
    Service& service = suite_service();
    const Person known = service.make_person();
    service.sql("UPDATE users SET username = 'taken' WHERE id = '" + known.id.text() + "'");
    const int users = count(service, "users");
    const auto report =
        import(service,
               "email;name;username;role;status;isVerified;language;passwordHash;createdAt;googleSubject\n"
               "good@example.org;;;;;;;;;\n"
               ";;;;;;;;;\n"
               "nobody;" +
                   std::string(101, 'x') + ";a b;chief;gone;yes;xx;5f4dcc3b5aa765d61d8327deb882cf99;yesterday;" +
                   std::string(256, 'g') +
                   "\n"
                   "GOOD@example.org;;TAKEN;;;;;;2999-01-01T00:00:00Z;\n"
                   "too;few\n"
                   "one@example.org;;same;;;true;;;;s\n"
                   "two@example.org;;same;;;true;;;1969-12-31T23:59:59Z;s\n" +
                   known.email + ";;;;;;;;;\n");
    EXPECT_THAT(broken_in(report),
                UnorderedElementsAre("1 email isNotEmpty", "2 email isEmail", "2 name maxLength",
                                     "2 username isUsername", "2 role isRole", "2 status isEnum",
                                     "2 isVerified isBoolean", "2 language isEnum", "2 passwordHash isPasswordHash",
                                     "2 createdAt isIso8601", "2 googleSubject isIdentitySubject", "3 email isUnique",
                                     "3 username isAvailable", "3 createdAt isPast", "4 row isRow",
                                     "6 username isUnique", "6 createdAt isPast", "6 googleSubject isUnique"));
    EXPECT_THAT(report.existing, ElementsAre(known.email));
    EXPECT_EQ(report.rows, 8);
    EXPECT_EQ(report.imported, 0);
    EXPECT_EQ(count(service, "users"), users);
    EXPECT_EQ(count(service, "import_rows"), 0);
}

TEST(INP_7, BlanksAroundAnImportedAddressAreNoPartOfItAndANameIsOneLine) {
    Service& service = suite_service();
    EXPECT_EQ(import(service, "email;name\n\" Ada@Example.org\t\";Ada\n").imported, 1);
    EXPECT_EQ(service.sql("SELECT email FROM users WHERE name = 'Ada'"), (SqlRows{{"ada@example.org"}}));
    EXPECT_THAT(import(service, "email\nada@example.org \n").existing, ElementsAre("ada@example.org"));
    EXPECT_THAT(broken_in(import(service, "email;name\nbob@example.org;\"Bob\nBcc: x\"\nann@example.org;\" \"\n")),
                ElementsAre("0 name isName", "1 name isName"));
}

TEST(UserImport, IdentitiesAndNamesOfOthersAreRefusedAndSkippedRowsKeepTheirs) {
    Service& service = suite_service();
    const int users = count(service, "users");
    const std::string file = "email;username;isVerified;googleSubject\na@example.org;ada;true;g-3\n";
    EXPECT_EQ(import(service, file).imported, 1);
    EXPECT_THAT(broken_in(import(service, "email;username;isVerified;googleSubject\nb@example.org;ada;true;g-3\n")),
                ElementsAre("0 username isAvailable", "0 googleSubject isAvailable"));
    const auto again = import(service, file + "c@example.org;;;\n", {.skip_existing = true});
    EXPECT_THAT(broken_in(again), IsEmpty());
    EXPECT_EQ(again.imported, 1);
    EXPECT_EQ(again.skipped, 1);
    EXPECT_EQ(count(service, "users"), users + 2);
    const auto refused = import(service, file + "d@example.org;;;\n");
    EXPECT_THAT(refused.existing, ElementsAre("a@example.org"));
    EXPECT_EQ(count(service, "users"), users + 2) << "without being told to skip, an address that is there stops all";
}

TEST(UserImport, ADryRunChangesNothing) {
    Service& service = suite_service();
    const int users = count(service, "users");
    const auto report = import(service, many(10'000, 11'200), {.dry_run = true});
    EXPECT_EQ(report.imported, 1'200);
    EXPECT_EQ(count(service, "users"), users);
    EXPECT_EQ(count(service, "import_rows"), 0);
}

TEST(AUT_3, NobodyImportsRolesBeyondTheirOwn) {
    using Importer = Permitted<Subject::user, Action::create>;
    Staff staff(suite_service());
    Service& service = staff.service;
    const Actor limited = admitted<Importer>(service, staff.admin_with({{"user", {"create"}}}));
    const Actor unlimited = admitted<Importer>(service, staff.chief);
    const int accounts = count(service, "users");
    const std::string file = "email;role\na@example.org;user\nb@example.org;admin\nc@example.org;superadmin\n";
    EXPECT_THAT(broken_in(import(service, file, {.by = limited})),
                ElementsAre("1 role isWithinRights", "2 role isWithinRights"));
    EXPECT_EQ(count(service, "users"), accounts);
    EXPECT_EQ(import(service, file, {.by = unlimited}).imported, 3);
}

TEST(UserImport, AnAdminFindsItInTheirActivity) {
    Staff staff(suite_service());
    Service& service = staff.service;
    const Actor admin = admitted<Permitted<Subject::user, Action::create>>(service, staff.chief);
    const std::string imports = "activity_log WHERE action = 'adminUserImport'";
    const std::string made = "users WHERE sign_up_from = 'admin'";
    const int imports_before = count(service, imports);
    const int made_before = count(service, made);
    import(service, many(0, 3), {.sign_up_from = SignUpFrom::admin, .by = admin, .cause = {.origin = EventOrigin{}}});
    const auto rows = service.sql("SELECT metadata FROM " + imports + " AND user_id = '" + admin.user()->text() + "'");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_THAT(rows[0], ElementsAre(R"({"rows":3,"roles":1,"roleIds":[")" + built_in(Role::user) + R"("]})"));
    EXPECT_EQ(count(service, made), made_before + 3);
    import(service, many(10, 12));
    EXPECT_EQ(count(service, imports), imports_before + 1) << "the operator has no activity";
}

TEST(UserImport, MoreRowsThanAllowedAreRefused) {
    Service& service = suite_service();
    const int users = count(service, "users");
    EXPECT_EQ(import(service, many(100, 105), {.rows_max = 5}).imported, 5);
    const auto report = try_import(service, many(105, 111), {.rows_max = 5});
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().kind().service_code, 5013);
    EXPECT_EQ(count(service, "users"), users + 5);
}

TEST(UserImport, ASignUpInBetweenIsToldAndStopsAll) {
    Service& service = suite_service();
    for (const bool skip : {false, true}) {
        const int first = skip ? 30'000 : 20'000;
        const std::string taken = "member" + std::to_string(first + 7) + "@example.org";
        const int users = count(service, "users");
        const int passwords = count(service, "password_history");
        Interrupted source(many(first, first + 1'500), [&] {
            const Person person = service.make_person();
            service.sql("UPDATE users SET email = '" + taken + "' WHERE id = '" + person.id.text() + "'");
        });
        const auto report = run(service.app().services().user_import.run(source, ImportOptions{.skip_existing = skip}));
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->imported, skip ? 1'499 : 0);
        EXPECT_EQ(count(service, "users"), users + (skip ? 1'500 : 1));
        EXPECT_EQ(count(service, "password_history"), passwords + (skip ? 1'500 : 1));
        EXPECT_EQ(count(service, "import_rows"), 0);
        if (!skip) EXPECT_THAT(report->existing, ElementsAre(taken));
    }
}

// Users choose these names, and the other program has several realms or tells upper from lower case.
TEST(UserImport, AUsernameOfAnExportThatAnotherAccountHasIsGenerated) {
    Service service;
    const auto account = [](const std::string& name, const std::string& username) {
        return R"({"user_id":"auth0|)" + name + R"(","email":")" + name + R"(@example.org","username":")" + username +
               "\"}\n";
    };
    const auto user = [](const std::string& name, const std::string& username) {
        return R"({"email":")" + name + R"(@example.org","username":")" + username + R"("})";
    };
    const auto usernames = [&] {
        std::vector<std::string> out;
        for (const auto& row : service.sql("SELECT username FROM users ORDER BY email"))
            out.push_back(row[0].starts_with("user-") ? "generated" : row[0]);
        return out;
    };
    const auto auth0 = import_auth0(service, account("a", "ada") + account("b", "Ada") + account("c", "grace"));
    EXPECT_THAT(broken_in(auth0), IsEmpty());
    EXPECT_THAT(told_in(auth0.notes), ElementsAre("0 password isKnownHash", "1 password isKnownHash",
                                                  "1 username isFreeUsername", "2 password isKnownHash"));
    EXPECT_EQ(auth0.imported, 3);
    EXPECT_THAT(usernames(), ElementsAre("ada", "generated", "grace"));
    const auto keycloak = import_keycloak(service, user("d", "edsger") + "," + user("e", "ADA"));
    EXPECT_THAT(broken_in(keycloak), IsEmpty());
    EXPECT_THAT(told_in(keycloak.notes), ElementsAre("1 username isFreeUsername"));
    EXPECT_THAT(usernames(), ElementsAre("ada", "generated", "grace", "edsger", "generated"));

    // A skipped row changes nothing, so there is nothing to note. Nor is an account its own obstacle.
    const std::string again = account("a", "ada") + account("b", "Ada") + account("f", "ada");
    const auto skipping = import_auth0(service, again, {.skip_existing = true});
    EXPECT_THAT(told_in(skipping.notes), ElementsAre("2 password isKnownHash", "2 username isFreeUsername"));
    EXPECT_EQ(skipping.imported, 1);
    const auto existing = import_auth0(service, account("c", "grace"));
    EXPECT_THAT(broken_in(existing), IsEmpty());
    EXPECT_THAT(existing.existing, ElementsAre("c@example.org"));
    EXPECT_THAT(told_in(existing.notes), ElementsAre("0 password isKnownHash"));
    EXPECT_THAT(broken_in(import(service, "email;username\ng@example.org;ada\nh@example.org;new\ni@example.org;New\n")),
                ElementsAre("0 username isAvailable", "2 username isUnique"))
        << "in a table, the operator can mend the row";
}

// Only another import can take it. The next attempt finds it taken.
TEST(UserImport, AUsernameOfAnExportThatIsTakenInBetweenStopsOnlyThatAttempt) {
    Service service;
    constexpr int accounts = 600;  // the first portion is checked before the end is read
    std::string file;
    for (int i = 0; i < accounts; ++i)
        file += R"({"user_id":"google-oauth2|)" + std::to_string(i) + R"(","email":"a)" + std::to_string(i) +
                R"(@example.org","email_verified":true)" + (i == 0 ? R"(,"username":"ada"})" : "}") + "\n";
    std::istringstream stream(file);
    const auto source = auth0_export(stream, nullptr);
    Interrupted interrupted(*source, [&] { import(service, "email;username\nb@example.org;ada\n"); });
    EXPECT_THROW(static_cast<void>(run(service.app().services().user_import.run(interrupted, {}))), Unavailable);
    EXPECT_EQ(count(service, "users"), 1);
    EXPECT_EQ(count(service, "import_rows"), 0);
    EXPECT_THAT(told_in(import_auth0(service, file).notes), ElementsAre("0 username isFreeUsername"));
    EXPECT_EQ(count(service, "users"), accounts + 1);
}

TEST(UserImport, ARoleThatIsDeletedInBetweenIsToldAndStopsAll) {
    Staff staff(suite_service());
    Service& service = staff.service;
    const auto new_role = [&](std::string* name) {
        const std::string id = staff.make_role("user", {});
        *name = service.sql("SELECT name FROM roles WHERE id = '" + id + "'").at(0).at(0);
        return id;
    };
    std::string kept;
    std::string deleted;
    new_role(&kept);
    const std::string id = new_role(&deleted);
    const int users = count(service, "users");
    Interrupted source("email;role\na1@example.org;" + kept + "\nb1@example.org;" + deleted +
                           "\nc1@example.org;user\nd1@example.org;" + deleted + "\n",
                       [&] { service.sql("DELETE FROM roles WHERE id = '" + id + "'"); });
    const auto report = run(service.app().services().user_import.run(source, {}));
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(broken_in(*report), ElementsAre("1 role isRole", "3 role isRole"));
    EXPECT_TRUE(report->refused({}));
    EXPECT_EQ(report->imported, 0);
    EXPECT_EQ(count(service, "users"), users);
    EXPECT_EQ(count(service, "import_rows"), 0);
}

TEST(UserImport, OfTheSameFileTwiceAtOnceOneGetsIn) {
    Service& service = suite_service();
    const int users = count(service, "users");
    std::vector<Ended<Result<ImportReport>>> ended;
    std::istringstream first(many(40'000, 41'000));
    std::istringstream second(many(40'000, 41'000));
    CsvSource first_source(first);
    CsvSource second_source(second);
    std::vector<awaitable<Result<ImportReport>>> both;
    auto& user_import = service.app().services().user_import;
    both.push_back(user_import.run(first_source, {}));
    both.push_back(user_import.run(second_source, {}));
    std::int64_t imported = 0;
    for (const auto& one : run_all(std::move(both), 2)) {
        ASSERT_TRUE(one.has_value());
        ASSERT_TRUE(one->has_value());
        imported += (*one)->imported;
        // The slower import may have checked some of its rows before the accounts of the faster one existed.
        if ((*one)->imported == 0)
            EXPECT_GT((*one)->existing_total, 0);
        else
            EXPECT_EQ((*one)->existing_total, 0);
    }
    EXPECT_EQ(imported, 1'000);
    EXPECT_EQ(count(service, "users"), users + 1'000);
    EXPECT_EQ(count(service, "import_rows"), 0);
}

// Users choose how deep their metadata is.
TEST(UserImport, ADeepValueOfAnExportIsReadAsAnyOther) {
    Service service;
    const std::string deep = std::string(400, '[') + std::string(400, ']');
    const auto account = [&](const std::string& name) {
        return R"({"user_id":"google-oauth2|)" + name + R"(","email":")" + name +
               R"(@example.org","email_verified":true,"user_metadata":{"deep":)" + deep + R"(,"lang":"de"}})" + "\n";
    };
    const auto lines = import_auth0(service, account("a") + account("b"));
    EXPECT_THAT(broken_in(lines), IsEmpty());
    EXPECT_EQ(lines.imported, 2);
    const auto document =
        import_keycloak(service, R"({"email":"c@example.org","attributes":{"deep":)" + deep + R"(,"locale":["de"]}})");
    EXPECT_THAT(broken_in(document), IsEmpty());
    std::istringstream accounts(R"({"user_id":"auth0|d","email":"d@example.org","user_metadata":{"lang":"de"}})");
    std::istringstream hashes(R"({"_id":{"$oid":"d"},"deep":)" + deep + R"(,"passwordHash":")" + bcrypt_of_u_u + "\"}");
    const auto with_hashes = auth0_export(accounts, &hashes);
    EXPECT_EQ(run(service.app().services().user_import.run(*with_hashes, {})).value().imported, 1);
    std::istringstream table(
        "email,encrypted_password,email_confirmed_at,raw_user_meta_data\ne@example.org,,,\"{\"\"deep\"\":" + deep +
        ",\"\"locale\"\":\"\"de\"\"}\"\n");
    const auto supabase = supabase_export(table, service.clock().now());
    EXPECT_EQ(run(service.app().services().user_import.run(*supabase, {})).value().imported, 1);
    EXPECT_EQ(count(service, "users WHERE language = 'de'"), 5);
    EXPECT_EQ(count(service, "users WHERE password_hash IS NOT NULL"), 1);
}

TEST(UserImport, ADatabaseThatFailsLeavesNothingBehind) {
    Service service;
    int users = 0;
    for (const char* when : {"INSERT ON import_rows", "INSERT ON users", "INSERT ON password_history"}) {
        const std::string file = many(users, users + 700);
        service.break_writes(when);
        EXPECT_THROW(import(service, file), Unavailable) << when;
        service.mend_writes();
        EXPECT_EQ(count(service, "users"), users) << when;
        EXPECT_EQ(count(service, "import_rows"), 0) << when;
        EXPECT_EQ(import(service, file).imported, 700) << when;
        users += 700;
    }
}

TEST(UserImport, WhatAnEndedProcessLeftIsSweptAfterADay) {
    Service service;
    // The rows cannot be deleted, as if the process had ended before it cleaned up.
    service.break_writes("DELETE ON import_rows");
    EXPECT_EQ(import(service, many(0, 600)).imported, 600);
    service.mend_writes();
    ASSERT_EQ(count(service, "import_rows"), 600);
    service.pass(std::chrono::hours{23});
    run(service.app().services().clean_up());
    EXPECT_EQ(count(service, "import_rows"), 600) << "it may still be at work";
    service.pass(std::chrono::hours{2});
    run(service.app().services().clean_up());
    EXPECT_EQ(count(service, "import_rows"), 0);
    EXPECT_EQ(count(service, "users"), 600);
}

}  // namespace
}  // namespace consentry::tests
