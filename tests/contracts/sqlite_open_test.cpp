// Tests opening a database file: its permissions, and what the service refuses before it starts (STO-3).
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <grp.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using storage::SqliteDatabase;

constexpr unsigned nobody = 65534;

const std::vector<storage::Migration>& one_table() {
    static const std::vector<storage::Migration> out{
        {1, "0001_t.sql", {"CREATE TABLE t (id BIGINT PRIMARY KEY, fill TEXT);"}}};
    return out;
}

unsigned mode_of(const std::filesystem::path& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777;
}

void expect_refused(const std::filesystem::path& file) {
    try {
        SqliteDatabase database({.file = file});
        ADD_FAILURE() << "opened";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string_view(error.what()).find(file.string()), std::string_view::npos) << error.what();
    }
}

TEST(SqliteOpen, MakesFileAndFolderForTheirOwnerOnly) {
    const TempFolder folder;
    const mode_t former = ::umask(0);
    const auto file = folder / "data" / "deep" / "test.db";
    SqliteDatabase database({.file = file});
    database.migrate(one_table());
    run(database.execute("INSERT INTO t (id) VALUES (1)"));
    ::umask(former);
    EXPECT_EQ(mode_of(folder / "data"), 0700u);
    EXPECT_EQ(mode_of(folder / "data" / "deep"), 0700u);
    EXPECT_EQ(mode_of(file), 0600u);
    EXPECT_EQ(mode_of(file.string() + "-wal"), 0600u);
    EXPECT_EQ(mode_of(file.string() + "-shm"), 0600u);
}

TEST(SqliteOpen, RefusesAFolder) {
    const TempFolder folder;
    expect_refused(folder.path());
}

TEST(SqliteOpen, RefusesAFolderThatIsAFile) {
    const TempFolder folder;
    std::ofstream(folder / "data") << "x";
    expect_refused(folder / "data" / "test.db");
}

TEST(SqliteOpen, RefusesWhatIsNoDatabase) {
    const TempFolder folder;
    std::ofstream(folder / "test.db") << std::string(8192, 'x');
    expect_refused(folder / "test.db");
}

TEST(SqliteOpen, RefusesAFileItMayNotWrite) {
    const TempFolder folder;
    const auto file = folder / "test.db";
    {
        SqliteDatabase database({.file = file});
    }
    ASSERT_EQ(::chmod(file.c_str(), 0400), 0);
    if (::geteuid() != 0) return expect_refused(file);
    // Root may write everything, so another account tries.
    for (const auto& path : {folder.path(), file}) ASSERT_EQ(::chown(path.c_str(), nobody, nobody), 0);
    EXPECT_EXIT(
        {
            const bool is_nobody = ::setgroups(0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0 &&
                                   ::setresuid(nobody, nobody, nobody) == 0;
            if (!is_nobody || ::access(file.c_str(), R_OK) != 0) ::_exit(2);
            expect_refused(file);
            ::_exit(::testing::Test::HasFailure() ? 1 : 0);
        },
        ::testing::ExitedWithCode(0), "");
}

class SqliteDamage : public ::testing::Test {
protected:
    SqliteDamage() {
        SqliteDatabase database({.file = file});
        database.migrate(one_table());
        for (int i = 0; i < 50; ++i)
            run(database.execute("INSERT INTO t (id, fill) VALUES ($1, $2)", i, std::string(1000, 'x')));
    }
    void overwrite(std::streamoff at, const std::string& with) {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(at);
        stream << with;
    }

    TempFolder folder;
    std::filesystem::path file = folder / "test.db";
};

TEST_F(SqliteDamage, ATruncatedFileIsRefused) {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    expect_refused(file);
}

TEST_F(SqliteDamage, ADamagedHeaderIsRefused) {
    overwrite(0, "SQLite format 2");
    expect_refused(file);
}

TEST_F(SqliteDamage, ADamagedSchemaIsRefused) {
    overwrite(100, std::string(3996, '\xA5'));
    expect_refused(file);
}

TEST_F(SqliteDamage, ADamagedPageIsUnavailableWhenItIsRead) {
    const auto pages = std::filesystem::file_size(file) / 4096;
    for (std::uintmax_t page = 1; page < pages; ++page)
        overwrite(static_cast<std::streamoff>(page * 4096), std::string(4096, '\xA5'));
    SqliteDatabase database({.file = file});
    EXPECT_THROW(run(database.query("SELECT fill FROM t WHERE id = 7")), Unavailable);
    EXPECT_THROW(run(database.execute("INSERT INTO t (id) VALUES (1000)")), Unavailable);
}

TEST_F(SqliteDamage, ADeletedFileIsNoticed) {
    SqliteDatabase database({.file = file});
    run(database.ping());
    std::filesystem::remove(file);
    EXPECT_THROW(run(database.ping()), Unavailable);
    EXPECT_THROW(run(database.execute("INSERT INTO t (id) VALUES (1000)")), Unavailable);
}

TEST(SqliteOpen, ReadsAcceptNoWrites) {
    const TempFolder folder;
    SqliteDatabase database({.file = folder / "test.db"});
    database.migrate(one_table());
    EXPECT_THROW(run(database.query("INSERT INTO t (id) VALUES (1) RETURNING id")), Unavailable);
    EXPECT_EQ(run(database.query("SELECT count(*) FROM t"))[0].integer(0), 0);
}

}  // namespace
}  // namespace consentry::tests
