// Two versions of the program on one database, as during a rolling update. The tests have only one program and simulate
// the other version by its schema: the next version's schema has additions, and the former version's lacks the newest
// migration.
#include <algorithm>
#include <filesystem>
#include <regex>

#include <gmock/gmock.h>

#include "tests/instances/load_client.hpp"
#include "tests/support/files.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* version_of = "SELECT max(number) FROM schema_migrations";

// Applies every change that a migration may make (tests/rules/migrations_test.cpp) to every table. The statements run
// one at a time, so that each waits only for the work on its own table.
void migrate_to_next_version(const SharedFleet& fleet) {
    const auto tables = fleet.sql(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'");
    ASSERT_GT(tables.size(), 10U);
    for (const auto& table : tables) {
        fleet.sql("ALTER TABLE " + table.at(0) + " ADD COLUMN of_next_version TEXT NOT NULL DEFAULT 'new'");
        fleet.sql("CREATE INDEX ON " + table.at(0) + " (of_next_version)");
        fleet.sql("UPDATE " + table.at(0) + " SET of_next_version = 'filled in'");
    }
    fleet.sql("CREATE TABLE of_next_version (id BIGINT PRIMARY KEY)");
    fleet.sql(
        "INSERT INTO schema_migrations (number, name, applied_at) SELECT max(number) + 1, 'of the next version', 0 "
        "FROM schema_migrations");
}

TEST(STO_5, TheFormerVersionServesBesideTheNewSchema) {
    SharedFleet fleet(2, {{"SESSION_MAX_PER_USER", "1000"}});
    Load load(
        [&fleet](std::size_t number, const std::function<Answer(const HttpClient&)>& request) {
            return request(fleet->client(number));
        },
        *fleet, 6, 20261123);
    const Person ada = fleet->make_person();
    load.begin();
    load.wait_for(100);
    ASSERT_NO_FATAL_FAILURE(migrate_to_next_version(fleet));
    load.wait_for(150);
    load.end();
    load.check([&](const std::string& statement) { return fleet.number(statement); });

    // An instance of the former version does not start on the newer schema, but running ones keep serving.
    EXPECT_EQ(fleet->at(0).stop().code, 0);
    try {
        fleet->start(0);
        ADD_FAILURE() << "started on a schema that it would misread";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("newer program is required"));
    }
    EXPECT_EQ(log_in(fleet->client(1), ada).status, 200U);
}

// Undoes what the newest migration added, and returns its number.
int return_to_former_version(const SharedFleet& fleet) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator("migrations"))
        if (entry.path().extension() == ".sql") files.push_back(entry.path());
    const std::string sql = text_in(std::ranges::max(files));
    const auto undo = [&](const std::regex& made, const std::string& back) {
        std::size_t found = 0;
        for (std::sregex_iterator at(sql.begin(), sql.end(), made), end; at != end; ++at, ++found)
            fleet.sql(at->format(back));
        return found;
    };
    const std::size_t undone =
        undo(std::regex(R"(ALTER TABLE (\w+) ADD COLUMN (\w+))"), "ALTER TABLE $1 DROP COLUMN $2") +
        undo(std::regex(R"(CREATE (?:UNIQUE )?INDEX (\w+))"), "DROP INDEX IF EXISTS $1") +
        undo(std::regex(R"(CREATE TABLE (\w+))"), "DROP TABLE $1");
    EXPECT_TRUE(undone > 0 || sql.contains("UPDATE ")) << sql;  // rows that it changed may stay changed
    const int newest = fleet.number(version_of);
    fleet.sql("DELETE FROM schema_migrations WHERE number = " + std::to_string(newest));
    return newest;
}

TEST(STO_5, AnUpgradeServesWhatTheFormerVersionLeft) {
    SharedFleet fleet(1);
    TokenTexts session;
    const Person ada = fleet->make_protected_person(&session);
    const Person bob = fleet->make_person();
    const Person eve = fleet->make_person();
    Person guess = eve;
    guess.password = "Copper-Meadow-77";
    for (int i = 0; i < 5; ++i) ASSERT_EQ(log_in(fleet->client(0), guess).status, 400U);
    ASSERT_EQ(fleet->at(0).stop().code, 0);

    const int newest = return_to_former_version(fleet);
    ASSERT_EQ(fleet.number(version_of), newest - 1);
    fleet->start(0);
    EXPECT_EQ(fleet.number(version_of), newest);
    const HttpClient client = fleet->client(0);
    EXPECT_EQ(knock(client, session.access), 200U);
    EXPECT_EQ(knock(client, refreshed_tokens_in(refresh(client, session.refresh)).access), 200U);
    EXPECT_EQ(verify_backup(client, challenge_of(client, ada), ada.backup_codes[0]).status, 200U);
    EXPECT_EQ(log_in(client, bob).status, 200U);
    EXPECT_EQ(log_in(client, eve).status, 403U) << "a lock holds";
}

}  // namespace
}  // namespace consentry::tests
