// Tests what other requests can do while the last transaction of an import runs, and what it makes of what they did.
// On SQLite, they wait for it.
#include <future>
#include <sstream>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/administration/import/csv_source.hpp"
#include "tests/support/calls/role_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using ::testing::ElementsAre;

constexpr const char* bcrypt_hash = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
constexpr const char* password_of_hash = "U*U";

// Where the last transaction stops. At its end, it holds all its locks.
constexpr const char* at_its_end =
    "CONSTRAINT TRIGGER hold_on AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
    "WHEN (NEW.email = 'held@example.org')";
constexpr const char* at_its_first_statement = "TRIGGER hold_on BEFORE UPDATE ON import_rows FOR EACH STATEMENT";
constexpr const char* while_it_creates_accounts = "TRIGGER hold_on BEFORE INSERT ON users FOR EACH STATEMENT";

Result<ImportReport> import_table(Service& service, const std::string& text) {
    std::istringstream stream(text);
    CsvSource source(stream);
    return run(service.app().services().user_import.run(source, {}));
}

std::string account(const std::string& email) { return email + ";true;" + bcrypt_hash + "\n"; }
const std::string columns = "email;isVerified;passwordHash\n";

int waiting(const Service& service) {
    return std::stoi(service
                         .sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                              "AND wait_event_type = 'Lock'")
                         .at(0)
                         .at(0));
}

// Imports the file, which must not give way to the call. Calls once the last transaction has stopped at this point, and
// then lets it go on.
template <class Call>
Result<ImportReport> import_beside(Service& service, const std::string& text, const char* point, Call call) {
    service.sql(
        "CREATE FUNCTION hold_on() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN "
        "PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$; CREATE " +
        std::string(point) + " EXECUTE FUNCTION hold_on()");
    const std::string server = shared_postgres_url();
    const std::string database = service.sql("SELECT current_database()").at(0).at(0);
    std::future<Result<ImportReport>> importing;  // ends after the connection whose lock it waits for
    {
        const PostgresConnection other(server.substr(0, server.rfind('/') + 1) + database);
        other.run("SELECT pg_advisory_lock(1)");
        importing = std::async(std::launch::async, [&] { return import_table(service, text); });
        EXPECT_TRUE(eventually([&] { return waiting(service) == 1; }));
        call();
        other.run("SELECT pg_advisory_unlock(1)");
    }
    auto report = importing.get();
    service.sql("DROP FUNCTION hold_on CASCADE");
    return report;
}

struct Desk : Staff {
    std::string role = make_role("user", {});
    std::string file =
        "email;role\nheld@example.org;" + service.sql("SELECT name FROM roles WHERE id = '" + role + "'").at(0).at(0);
    int count(const std::string& from) const {
        return std::stoi(service.sql("SELECT count(*) FROM " + from).at(0).at(0));
    }
};

TEST(UserImport, WhileItCommitsOthersAssignAndChangeItsRoles) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    Desk desk;
    const Person person = desk.service.make_person();
    const auto report = import_beside(desk.service, desk.file, at_its_end, [&] {
        const Answer created =
            desk.call(desk.chief, "POST", "user/create", {{"email", "created@example.org"}, {"roleId", desk.role}});
        EXPECT_EQ(created.status, 201U) << created.body;
        const Answer assigned =
            desk.call(desk.chief, "PUT", "user/update/" + person.id.text() + "/role", {{"roleId", desk.role}});
        EXPECT_EQ(assigned.status, 200U) << assigned.body;
        const Answer changed = desk.update(desk.chief, desk.role, "admin", {});
        EXPECT_EQ(changed.status, 200U) << changed.body;
    });
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->imported, 1);
    EXPECT_EQ(desk.count("users WHERE role_id = '" + desk.role + "'"), 3);
}

TEST(UserImport, ADeletionOfItsRoleWaitsForItsCommitAndIsRefused) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    Desk desk;
    std::future<Answer> deletion;
    const auto report = import_beside(desk.service, desk.file, at_its_end, [&] {
        deletion = std::async(std::launch::async, [&] { return desk.erase(desk.chief, desk.role); });
        EXPECT_TRUE(eventually([&] { return waiting(desk.service) == 2; }));
    });
    expect_refused(deletion.get(), errors::role_used);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->imported, 1);
}

TEST(UserImport, ARoleThatIsDeletedDuringItsLastTransactionIsTold) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    for (const char* point : {at_its_first_statement, while_it_creates_accounts}) {
        Desk desk;
        const int users = desk.count("users");
        const auto report = import_beside(desk.service, desk.file, point, [&] {
            const Answer deleted = desk.erase(desk.chief, desk.role);
            EXPECT_EQ(deleted.status, 204U) << deleted.body;
        });
        ASSERT_TRUE(report.has_value()) << point;
        ASSERT_EQ(report->bad_rows.size(), 1U) << point;
        EXPECT_EQ(report->bad_rows[0].row, 0);
        EXPECT_EQ(report->bad_rows[0].errors.at(0).key, "isRole");
        EXPECT_EQ(report->imported, 0);
        EXPECT_EQ(desk.count("users"), users);
        EXPECT_EQ(desk.count("import_rows"), 0);
    }
}

TEST(UserImport, WhileItCommitsAccountsWithHashesOfItsKindLogIn) {
    if (!on_shared_engines()) GTEST_SKIP() << "SQLite has one writer";
    Service service;
    ASSERT_EQ(import_table(service, columns + account("before@example.org"))->imported, 1);
    const auto report = import_beside(service, columns + account("held@example.org"), at_its_end, [&] {
        const Answer answer = service.log_in("before@example.org", password_of_hash);
        EXPECT_EQ(answer.status, 200U) << answer.body;
    });
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->imported, 1);
    EXPECT_EQ(service.sql("SELECT kind FROM password_kinds").size(), 1U);
}

// The kind only serves the time of failures (PWD-1), which this instance takes care of without the database.
TEST(UserImport, AnImportedAccountLogsInWhileTheKindOfItsHashCannotBeWritten) {
    Service service;
    ASSERT_EQ(import_table(service, columns + account("a@example.org") + account("b@example.org"))->imported, 2);
    service.sql("DELETE FROM password_kinds");
    service.break_writes("INSERT ON password_kinds");
    EXPECT_EQ(service.log_in("a@example.org", password_of_hash).status, 200U);
    const FailureFloor& floor = service.app().services().passwords.failure_floor();
    EXPECT_EQ(service.log_in("nobody@example.org", wrong_password).status, 400U);
    EXPECT_EQ(floor.held_back(), 1U);
    service.mend_writes();
    EXPECT_EQ(service.log_in("b@example.org", wrong_password).status, 400U);
    EXPECT_EQ(floor.held_back(), 2U);
    EXPECT_THAT(service.sql("SELECT kind FROM password_kinds"), ElementsAre(ElementsAre("$2b$05$")));
}

}  // namespace
}  // namespace consentry::tests
