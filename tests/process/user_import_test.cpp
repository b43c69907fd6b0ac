// `consentry user import`: its messages, imports from other programs, and the state after the process is killed at any
// moment.
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wanted.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string header = "email;name;isVerified;passwordHash\n";
const std::string hash_of_u_u = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

class UserImportCommand : public ::testing::Test {
protected:
    UserImportCommand() { make_data(folder_.path()); }
    Finished import(std::vector<std::string> arguments, std::string_view input = {}) const {
        arguments.insert(arguments.begin(), {"user", "import"});
        return run_program(arguments, folder_.path(), quick_settings(), input);
    }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.path() / name) << text;
        return name;
    }
    // Returns a table with valid rows, except that one in every `bad_every` rows is invalid.
    std::string table(std::int64_t rows, std::int64_t bad_every = 0) const {
        std::string out = header;
        for (std::int64_t i = 0; i < rows; ++i) {
            const bool bad = bad_every != 0 && i % bad_every == 3;
            out += "member" + std::to_string(i) + (bad ? "" : "@example.org") + ";Member;true;" + hash_of_u_u + "\n";
        }
        return out;
    }
    std::vector<std::vector<std::string>> sql(const std::string& statement) const {
        return run_sql(folder_.path() / "data" / "consentry.db", statement);
    }
    long count(const std::string& table) const { return std::stol(sql("SELECT count(*) FROM " + table).at(0).at(0)); }

    const TempFolder folder_;
};

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(UserImportCommand, SaysWhatIsWrongAndImportsNothing) {
    const std::string file = write("users.csv", header +
                                                    "ada@example.org;Ada;true;\n"
                                                    "nobody;;true;\n"
                                                    "bob@example.org;;maybe;" +
                                                    "$1$salt$qJH7.N4xYta3aEG/dfqo/0\n");
    const Finished refused = import({file});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.out,
              "row 1: email: email must be an email address.\n"
              "row 2: isVerified: isVerified must be true or false.\n"
              "row 2: passwordHash: passwordHash must be a password hash of a supported kind.\n");
    EXPECT_THAT(refused.err, AllOf(HasSubstr("nothing was imported"), Not(HasSubstr("\r"))));
    EXPECT_THAT(refused.out + refused.err, Not(HasSubstr("qJH7")));
    EXPECT_EQ(count("users"), 0);

    write("users.csv", header + "ada@example.org;Ada;true;\nbob@example.org;;true;\n");
    EXPECT_EQ(import({file, "--dry-run"}).code, 0);
    EXPECT_EQ(count("users"), 0);
    const Finished done = import({file});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(count("users"), 2);

    write("users.csv", header + "ada@example.org;Ada;true;\ncarl@example.org;;true;\n");
    const Finished there = import({file});
    EXPECT_EQ(there.code, 1);
    EXPECT_EQ(there.out, "account exists: ada@example.org\n");
    EXPECT_EQ(import({"--skip-existing", file}).code, 0);
    EXPECT_EQ(count("users"), 3);
}

TEST_F(UserImportCommand, ReadsStandardInput) {
    EXPECT_EQ(import({"-"}, header + "ada@example.org;Ada;true;\n").code, 0);
    EXPECT_EQ(count("users"), 1);
    const Finished refused = import({"-"}, "mobile\n1\n");
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("unknown column mobile"));
}

TEST_F(UserImportCommand, WrongUseEndsWithTwo) {
    const std::string file = write("users.csv", header);
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"missing.csv"},
                                               {"."},
                                               {file, "--from", "ldap"},
                                               {file, "--from", "firebase"},
                                               {file, "--from", "firebase", "--firebase-hash-config", "missing.txt"},
                                               {file, "--from", "firebase", "--firebase-hash-config", file},
                                               {file, "--from", "auth0", "--auth0-password-hashes", "missing.txt"},
                                               {file, "--force"}}) {
        const Finished refused = import(arguments);
        EXPECT_EQ(refused.code, 2) << refused.out << refused.err;
    }
}

// Linux reads nothing from there, and says so.
TEST_F(UserImportCommand, AFileThatCannotBeReadToItsEndImportsNothing) {
    const std::string unreadable = "/proc/self/mem";
    const std::string account = write("users.ndjson", R"({"user_id":"auth0|1","email":"ada@example.org"})"
                                                      "\n");
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{unreadable},
                                               {"--from", "auth0", unreadable},
                                               {"--from", "auth0", "--auth0-password-hashes", unreadable, account},
                                               {"--from", "keycloak", unreadable}}) {
        const Finished refused = import(arguments);
        EXPECT_EQ(refused.code, 1) << arguments.back() << refused.out << refused.err;
        EXPECT_EQ(count("users"), 0);
    }
}

TEST_F(UserImportCommand, AnAccountKeepsItsFirstIdentityAtAProvider) {
    const std::string file =
        write("users.ndjson",
              R"({"user_id":"auth0|1","email":"ada@example.org","email_verified":true,"identities":[)"
              R"({"provider":"google-oauth2","user_id":"first"},{"provider":"google-oauth2","user_id":"second"}]})"
              "\n");
    const Finished done = import({"--from", "auth0", file});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("The login with google-oauth2|second is not imported."));
    EXPECT_EQ(sql("SELECT subject FROM identities").at(0).at(0), "first");
}

TEST_F(UserImportCommand, WithoutAnIdNoAccountGetsThePasswordOfAnother) {
    const std::string hash = R"("passwordHash":"$2b$05$abcdefghijklmnopqrstuu2SZno4lqP.QBHbDwMNCIt1SNlPEeWRm"})";
    const std::string users = write("users.ndjson", R"({"email":"ada@example.org","email_verified":true})"
                                                    "\n"
                                                    R"({"email":"eve@example.org","email_verified":true})"
                                                    "\n");
    for (const std::string id : {R"("_id":"65a0c0ffee00000000000001",)", R"("_id":{"$oid":""},)", ""}) {
        const std::string hashes = write("hashes.ndjson", "{" + id + hash + "\n");
        const Finished refused = import({"--from", "auth0", "--auth0-password-hashes", hashes, users});
        EXPECT_EQ(refused.code, 1) << id;
        EXPECT_THAT(refused.err, HasSubstr("not an export of the kind that you named")) << id;
        EXPECT_EQ(count("users"), 0) << id;
    }
    const std::string hashes = write("hashes.ndjson", R"({"_id":{"$oid":"65a0c0ffee00000000000001"},)" + hash + "\n");
    const Finished done = import({"--from", "auth0", "--auth0-password-hashes", hashes, users});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("2 of them were imported without a password"));
    ServiceProcess service(folder_.path());
    for (const auto* email : {"ada@example.org", "eve@example.org"})
        EXPECT_EQ(log_in(service.client(), {.email = email, .password = "Auth0-Old-One"}).code_name(),
                  "passwordNotMatch")
            << email;
    service.stop();
}

TEST_F(UserImportCommand, AnIdentityWithoutAnIdIsNoted) {
    const std::string file =
        write("users.ndjson", R"({"user_id":"google-oauth2|","email":"ada@example.org","email_verified":true})"
                              "\n"
                              R"({"user_id":"auth0|2","email":"eve@example.org","email_verified":true,)"
                              R"("identities":[{"provider":"google-oauth2","user_id":1099}]})"
                              "\n");
    const Finished done = import({"--from", "auth0", file});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("row 0: note: identities"), HasSubstr("row 1: note: identities")));
    EXPECT_EQ(count("identities"), 0);
}

struct Expected {
    std::string email;
    std::string password;  // in the other program; empty: not exported
    std::string says;      // expected statusCodeKey; empty: the login succeeds
};
struct Export {
    std::vector<std::string> arguments;
    std::vector<Expected> accounts;
    std::vector<std::string> report;
    std::string identities;
};

std::string in_exports(const std::string& name) { return std::string(CONSENTRY_EXPORTS) + "/" + name; }

const Export exports[] = {
    {{"--from", "keycloak", in_exports("keycloak-realm.json")},
     {{"ada@example.org", "Keycloak-Old-256", ""},
      {"grace@example.org", "Keycloak-Old-512", ""},
      {"edsger@example.org", "Keycloak-Old-Argon2", ""},
      {"off@example.org", "Keycloak-Old-256", "inactiveForbidden"},
      {"sha1@example.org", "Keycloak-Old-1", "passwordNotMatch"},
      // Another person has set these passwords, and may know them.
      {"must-change@example.org", "Keycloak-Old-256", "passwordNotMatch"},
      {"temporary@example.org", "Keycloak-Old-256", "passwordNotMatch"}},
     {"row 1: note: identities: The login with github", "row 2: note: identities: The login with otp",
      "row 4: note: password: The password is stored", "row 5: note: user: The account has no email address",
      "row 6: note: password: The user had to change the password",
      "row 7: note: password: The user had to change the password"},
     "google 109876543210987654321 grace@example.org;"},
    {{"--from", "auth0", "--auth0-password-hashes", in_exports("auth0-hashes.ndjson"),
      in_exports("auth0-users.ndjson")},
     {{"ada@example.org", "Auth0-Old-One", ""},
      {"grace@example.org", "Auth0-Old-Two", ""},
      {"off@example.org", "Auth0-Old-Four", "inactiveForbidden"},
      {"tim@example.org", "", ""},
      {"face@example.org", "", ""}},
     {"row 4: note: user: The account has no email address", "row 5: note: identities: The login with facebook"},
     "apple 001234.0123456789abcdef0123456789abcdef.1234 tim@example.org;"
     "google 109876543210987654321 grace@example.org;"},
    {{"--from", "auth0", in_exports("auth0-hashes.ndjson")},
     {{"ada@example.org", "Auth0-Old-One", ""}, {"grace@example.org", "Auth0-Old-Two", ""}},
     {},
     ""},
    {{"--from", "firebase", "--firebase-hash-config", in_exports("firebase-hash-config.txt"),
      in_exports("firebase-users.json")},
     {{"user1@example.org", "user1password", ""},
      {"grace@example.org", "Firebase-Old-2", ""},
      {"off@example.org", "Firebase-Old-4", "inactiveForbidden"},
      {"tim@example.org", "", ""}},
     {"row 4: note: user: The account has no email address", "row 5: note: identities: The login with facebook.com"},
     "apple 001234.0123456789abcdef0123456789abcdef.1234 tim@example.org;"
     "google 109876543210987654321 grace@example.org;"},
    {{"--from", "supabase", in_exports("supabase-users.csv")},
     {{"ada@example.org", "Supabase-Old-1", ""},
      {"grace@example.org", "Supabase-Old-2", ""},
      {"fire@example.org", "user1password", ""},
      {"banned@example.org", "Supabase-Old-4", "inactiveForbidden"},
      {"unconfirmed@example.org", "Supabase-Old-7", "emailNotVerified"}},
     {"row 1: note: identities: The login with google", "row 4: note: user: The account was deleted",
      "row 5: note: user: The account has no email address"},
     ""},
};

TEST_F(UserImportCommand, AccountsOfOtherProgramsLogInWithTheirOldPasswords) {
    for (const Export& from : exports) {
        const TempFolder folder;
        ServiceProcess service(folder.path());
        std::vector<std::string> arguments{"user", "import"};
        arguments.insert(arguments.end(), from.arguments.begin(), from.arguments.end());
        const Finished done = run_program(arguments, folder.path(), quick_settings());
        ASSERT_EQ(done.code, 0) << from.arguments[1] << done.out << done.err;
        EXPECT_EQ(lines_of(done.out), static_cast<long>(from.report.size())) << done.out;
        std::size_t at = 0;
        for (const std::string& line : from.report)
            ASSERT_NE(at = done.out.find(line, at), std::string::npos) << from.arguments[1] << ", in order: " << line;

        const fs::path database = folder.path() / "data" / "consentry.db";
        for (const auto& [email, password, says] : from.accounts) {
            const Answer right = log_in(service.client(), {.email = email, .password = password});
            if (password.empty()) {
                EXPECT_EQ(
                    run_sql(database, "SELECT password_hash FROM users WHERE email = '" + email + "'").at(0).at(0), "");
                continue;
            }
            if (says.empty())
                EXPECT_EQ(right.status, 200U) << email << right.body;
            else
                EXPECT_EQ(right.code_name(), says) << email;
            EXPECT_EQ(log_in(service.client(), {.email = email, .password = password + "x"}).code_name(),
                      "passwordNotMatch");
            if (!says.empty()) continue;
            // After the login, no hash of the other program remains.
            const std::string old =
                "SELECT count(*) FROM users u JOIN password_history h ON h.user_id = u.id WHERE u.email = '" + email +
                "' AND (u.password_hash NOT LIKE '$argon2id$v=19$m=8192,t=1%' OR h.password_hash <> u.password_hash)";
            EXPECT_EQ(run_sql(database, old).at(0).at(0), "0") << email;
        }
        std::string identities;
        for (const auto& row : run_sql(database,
                                       "SELECT i.provider, i.subject, u.email FROM identities i JOIN users u ON u.id = "
                                       "i.user_id ORDER BY 1"))
            identities += row[0] + " " + row[1] + " " + row[2] + ";";
        EXPECT_EQ(identities, from.identities);
        service.stop();
    }
}

TEST_F(UserImportCommand, PasswordsThatDoNotComeAlongAreCounted) {
    const Finished unknown_kind = import({"--from", "keycloak", in_exports("keycloak-realm.json"), "--dry-run"});
    EXPECT_EQ(unknown_kind.code, 0);
    EXPECT_THAT(unknown_kind.err, HasSubstr("3 of them would be imported without a password"));
    const Finished no_hashes = import({"--from", "auth0", in_exports("auth0-users.ndjson")});
    EXPECT_EQ(no_hashes.code, 0);
    EXPECT_THAT(no_hashes.err, HasSubstr("3 of them were imported without a password"));
    for (const char* row : {"row 0: note: password", "row 1: note: password", "row 3: note: password"})
        EXPECT_THAT(no_hashes.out, HasSubstr(row));
    const Finished all =
        import({"--from", "supabase", in_exports("supabase-users.csv"), "--skip-existing", "--dry-run"});
    EXPECT_EQ(all.code, 0);
    EXPECT_THAT(all.err, Not(HasSubstr("without a password")));
}

TEST_F(UserImportCommand, PasswordsOfSkippedAndBrokenRowsAreNotCountedAsLost) {
    const std::vector<std::string> once{"--from", "auth0", in_exports("auth0-users.ndjson"), "--skip-existing",
                                        "--json"};
    EXPECT_THAT(import(once).out,
                AllOf(HasSubstr(R"("imported":5)"), HasSubstr(R"("passwordsLost":3)"), HasSubstr("isKnownHash")));
    const Finished again = import(once);
    EXPECT_EQ(again.code, 0);
    EXPECT_THAT(again.out, AllOf(HasSubstr(R"("imported":0)"), HasSubstr(R"("passwordsLost":0)"),
                                 HasSubstr(R"("rowsWithNotes":1)"), Not(HasSubstr("isKnownHash"))));
    EXPECT_THAT(again.err, Not(HasSubstr("without a password")));
    const Finished broken =
        import({"--from", "auth0", "--json",
                write("users.ndjson", R"({"user_id":"auth0|1","email":"eve@example.org","created_at":"x"})")});
    EXPECT_EQ(broken.code, 1);
    EXPECT_THAT(broken.out, AllOf(HasSubstr(R"("invalidRows":1)"), HasSubstr(R"("passwordsLost":0)")));
}

TEST_F(UserImportCommand, WhatAnExportTellsOfAnAccountComesAlong) {
    ASSERT_EQ(import({"--from", "keycloak", in_exports("keycloak-realm.json")}).code, 0);
    EXPECT_THAT(
        sql("SELECT name, username, language, created_at, is_verified FROM users WHERE email = 'ada@example.org'")
            .at(0),
        ::testing::ElementsAre("Ada Lovelace", ::testing::StartsWith("user-"), "de", "1704100000123", "1"));
    EXPECT_EQ(sql("SELECT username FROM users WHERE email = 'grace@example.org'").at(0).at(0), "grace");
    const TempFolder other;
    make_data(other.path());
    ASSERT_EQ(run_program({"user", "import", "--from", "supabase", in_exports("supabase-users.csv")}, other.path(),
                          quick_settings())
                  .code,
              0);
    EXPECT_THAT(run_sql(other.path() / "data" / "consentry.db",
                        "SELECT name, language, created_at FROM users WHERE email = 'ada@example.org'")
                    .at(0),
                ::testing::ElementsAre("Ada \"the first\" Lovelace", "ja", "1704100000123"));
}

// Users choose these names, and no rule of the other program is ours.
TEST_F(UserImportCommand, ANameOfAnExportThatBreaksARuleStaysBehind) {
    const std::string names[] = {"  Ada ", std::string(101, 'x'), R"(Eve\nBcc: x)", " "};
    std::string auth0;
    std::string firebase;
    std::string keycloak;
    std::string supabase = "email,encrypted_password,email_confirmed_at,raw_user_meta_data\n";
    for (int i = 0; const std::string& name : names) {
        const std::string address = std::to_string(i++) + "@example.org";
        const std::string comma = i == 1 ? "" : ",";
        auth0 += R"({"user_id":"google-oauth2|)" + address + R"(","email":"auth0-)" + address +
                 R"(","email_verified":true,"name":")" + name + "\"}\n";
        firebase += comma + R"({"email":"firebase-)" + address + R"(","displayName":")" + name + "\"}";
        keycloak += comma + R"({"email":"keycloak-)" + address + R"(","firstName":")" + name + "\"}";
        supabase += "supabase-" + address + R"(,,,"{""name"":"")" + name + "\"\"}\"\n";
    }
    const std::string of_firebase = write("firebase.json", R"({"users":[)" + firebase + "]}");
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"auth0", write("auth0.ndjson", auth0)},
             {"firebase", of_firebase, "--firebase-hash-config", in_exports("firebase-hash-config.txt")},
             {"keycloak", write("realm.json", R"({"users":[)" + keycloak + "]}")},
             {"supabase", write("supabase.csv", supabase)}}) {
        std::vector<std::string> command{"--from"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const std::string& from = arguments[0];
        const Finished done = import(command);
        EXPECT_EQ(done.code, 0) << from << done.out << done.err;
        EXPECT_EQ(lines_of(done.out), 2) << from << done.out;
        EXPECT_THAT(done.out, AllOf(HasSubstr("row 1: note: name: "), HasSubstr("row 2: note: name: "))) << from;
        EXPECT_EQ(sql("SELECT name FROM users WHERE email LIKE '" + from + "%' ORDER BY email"),
                  (std::vector<std::vector<std::string>>{{"Ada"}, {""}, {""}, {""}}))
            << from;
    }
}

// Users chose these addresses, too. In a table, the operator can mend the row.
TEST_F(UserImportCommand, AnAccountOfAnExportWhoseAddressIsRefusedStaysBehind) {
    const std::string addresses[] = {"o'brien@example.org", "x", "ok@example.org"};
    std::string auth0;
    std::string firebase;
    std::string supabase = "email,encrypted_password,email_confirmed_at\n";
    for (const std::string& address : addresses) {
        auth0 += R"({"user_id":"auth0|1","email":"auth0-)" + address + "\"}\n";
        firebase += (firebase.empty() ? "" : ",") + (R"({"email":"firebase-)" + address + "\"}");
        supabase += "supabase-" + address + ",,\n";
    }
    std::string keycloak = firebase;
    for (std::size_t at = 0; (at = keycloak.find("firebase", at)) != std::string::npos;)
        keycloak.replace(at, 8, "keycloak");
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"auth0", write("auth0.ndjson", auth0)},
                                               {"firebase", write("firebase.json", R"({"users":[)" + firebase + "]}"),
                                                "--firebase-hash-config", in_exports("firebase-hash-config.txt")},
                                               {"keycloak", write("realm.json", R"({"users":[)" + keycloak + "]}")},
                                               {"supabase", write("supabase.csv", supabase)}}) {
        std::vector<std::string> command{"--from"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const std::string& from = arguments[0];
        const Finished done = import(command);
        EXPECT_EQ(done.code, 0) << from << done.out << done.err;
        EXPECT_THAT(done.out, AllOf(HasSubstr("row 0: note: user: The email address"),
                                    HasSubstr("row 1: note: user: The email address"), Not(HasSubstr("brien"))))
            << from;
        EXPECT_EQ(sql("SELECT email FROM users WHERE email LIKE '" + from + "%'"),
                  (std::vector<std::vector<std::string>>{{from + "-ok@example.org"}}))
            << from;
    }
    const Finished table = import({write("users.csv", header + "o'brien@example.org;;;\n")});
    EXPECT_EQ(table.code, 1);
    EXPECT_THAT(table.out, HasSubstr("row 0: email: "));
}

// Applications keep pictures there.
TEST_F(UserImportCommand, AnExportMayHaveLargeMetadata) {
    const auto supabase = [&](std::size_t bytes) {
        return import({"--from", "supabase",
                       write("users.csv",
                             "email,encrypted_password,email_confirmed_at,raw_user_meta_data\n"
                             "ada@example.org,,,\"{\"\"name\"\":\"\"Ada\"\",\"\"picture\"\":\"\"" +
                                 std::string(bytes, 'x') + "\"\"}\"\n")});
    };
    const Finished too_large = supabase(1'100'000);
    EXPECT_EQ(too_large.code, 1);
    EXPECT_THAT(too_large.err, HasSubstr("Row 0 is too long to read."));
    const Finished large = supabase(1'000'000);
    EXPECT_EQ(large.code, 0) << large.err;
    EXPECT_EQ(sql("SELECT name FROM users").at(0).at(0), "Ada");

    const std::string account = R"({"user_id":"auth0|1","email":"eve@example.org"})"
                                "\n";
    const std::string long_line =
        R"({"user_id":"auth0|2","email":"bob@example.org","picture":")" + std::string(1'100'000, 'x') + "\"}\n";
    for (const auto& [text, row] : {std::pair{long_line + account, "Row 0"}, {account + long_line, "Row 1"}}) {
        const Finished refused = import({"--from", "auth0", write("users.ndjson", text)});
        EXPECT_EQ(refused.code, 1);
        EXPECT_THAT(refused.err, HasSubstr(std::string(row) + " is too long to read."));
    }
}

TEST_F(UserImportCommand, AFileThatIsNoSuchExportIsRefused) {
    const struct {
        std::string from;
        std::string text;
    } cases[] = {{"keycloak", "{\"realm\":\"shop\"}"},
                 {"keycloak", "{\"users\":[{}"},
                 {"keycloak", ""},
                 {"auth0", "[\n{}\n]"},
                 {"supabase", "a,b\n1,2\n"},
                 {"keycloak", std::string(100'000, '[')}};
    for (const auto& [from, text] : cases) {
        const Finished refused = import({"--from", from, write("export", text)});
        EXPECT_EQ(refused.code, 1) << from << refused.err;
        EXPECT_EQ(count("users"), 0);
    }
    for (const auto* realms :
         {R"([{"realm":"master","users":[]},{"realm":"shop","users":[{"email":"ada@example.org"}]}])",
          R"([{"realm":"master"},{"realm":"shop"}])"}) {
        const Finished refused = import({"--from", "keycloak", write("export", realms)});
        EXPECT_EQ(refused.code, 1) << realms << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("Export one of them with --realm")) << realms;
    }
    const Finished odd = import({"--from", "keycloak", write("export", "[1, {\"email\": 7}]")});
    EXPECT_EQ(odd.code, 1);
    EXPECT_THAT(odd.out, AllOf(HasSubstr("row 0: user: "), HasSubstr("row 1: note: user: ")));
}

// Consentry reads a file in pieces. Each byte of an account is once the last of a piece.
TEST_F(UserImportCommand, AnExportIsReadWhereverItsPiecesEnd) {
    constexpr std::size_t piece = 65'536;
    std::string text = R"({"users":[)";
    std::size_t accounts = 0;
    for (std::size_t end = 1;; ++end) {
        const std::string account = R"({"email":"user)" + std::to_string(1'000 + accounts) +
                                    R"(@example.org","emailVerified":true,"createdTimestamp":1704100000123})";
        if (end > account.size()) break;
        if (accounts > 0) text += ",";
        text.resize(++accounts * piece - end, ' ');
        text += account;
    }
    const Finished done = import({"--from", "keycloak", write("realm.json", text + "]}")});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(count("users"), static_cast<long>(accounts));
}

// Twenty portions. bench/goals_import.cpp imports 100,000 rows.
TEST_F(UserImportCommand, BadRowsOfManyAreToldMendedAndImported) {
    const std::int64_t rows = wanted("CONSENTRY_ROWS", 10'000);
    const std::string file = write("users.csv", table(rows, 100));
    const Finished refused = import({file});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(lines_of(refused.out), rows / 100);
    EXPECT_THAT(refused.out,
                AllOf(HasSubstr("row 3: email: "), HasSubstr("row " + std::to_string(rows - 97) + ": email: ")));
    EXPECT_EQ(count("users"), 0);
    EXPECT_EQ(count("import_rows"), 0);
    write("users.csv", table(rows));
    const Finished done = import({file});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(count("users"), rows);
    EXPECT_EQ(count("password_history"), rows);
}

TEST_F(UserImportCommand, KilledAtAnyMomentItLeavesAllAccountsOrNone) {
    constexpr long rows = 30'000;
    const std::string file = write("users.csv", table(rows));
    // Kills the import at these numbers of staged rows; the last kills come while the accounts are created.
    for (const long staged : {1L, 10'000L, 20'000L, rows, rows, rows}) {
        Program program({"user", "import", file}, folder_.path(), quick_settings());
        const bool is_reached = eventually([&] { return count("import_rows") >= staged || count("users") > 0; });
        program.send(SIGKILL);
        program.wait();
        EXPECT_TRUE(is_reached) << staged << ": " << program.err();
        const long made = count("users");
        EXPECT_TRUE(made == 0 || made == rows) << made;
        EXPECT_EQ(count("password_history"), made);
        if (made > 0) {
            sql("DELETE FROM password_history");
            sql("DELETE FROM users");
        }
    }
    EXPECT_EQ(import({file}).code, 0);
    EXPECT_EQ(count("users"), rows);
    ServiceProcess service(folder_.path());
    EXPECT_EQ(log_in(service.client(), {.email = "member29999@example.org", .password = "U*U"}).status, 200U);
    EXPECT_EQ(service.stop().code, 0);
}

TEST_F(UserImportCommand, OfTwoAtOnceOneGetsInWhileTheServiceGoesOn) {
    ServiceProcess service(folder_.path());
    const Person ada = make_person(folder_.path(), "ada@example.org");
    const std::string file = write("users.csv", table(20'000));
    Program first({"user", "import", file}, folder_.path(), quick_settings());
    Program second({"user", "import", file}, folder_.path(), quick_settings());
    // Each login writes to the database, and the imports must not block it.
    int logins = 0;
    while (count("users") == 1) {
        EXPECT_EQ(log_in(service.client(), ada).status, 200U);
        ++logins;
        if (logins > 2'000) break;
    }
    const int codes = first.wait(std::chrono::seconds{60}).code + second.wait(std::chrono::seconds{60}).code;
    EXPECT_EQ(codes, 1) << first.err() << second.err();
    EXPECT_EQ(count("users"), 20'001);
    EXPECT_EQ(count("import_rows"), 0);
    EXPECT_EQ(log_in(service.client(), ada).status, 200U);
    EXPECT_EQ(service.stop().code, 0);
}

}  // namespace
}  // namespace consentry::tests
