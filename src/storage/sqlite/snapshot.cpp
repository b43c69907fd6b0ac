#include "storage/sqlite/snapshot.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "storage/schema_version.hpp"
#include "storage/sqlite/file.hpp"

namespace consentry::storage::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr int pages_at_once = 1'024;

void run(const FileHandle& database, const fs::path& file, const char* sql) {
    if (sqlite3_exec(database.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        throw_failure(file, sqlite3_errmsg(database.get()));
}

// SQLite would create the file with the usual mode, readable by others.
void create(const fs::path& file) {
    const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) throw_failure(file, std::generic_category().message(errno));
    close(made);
}

}  // namespace

void take_snapshot(const fs::path& from, const fs::path& to, const std::function<void(int, int)>& progress) {
    const FileHandle source = open_file(from, SQLITE_OPEN_READWRITE);
    // An open read transaction keeps the copy at one moment: without it, SQLite would start again whenever another
    // process has written.
    run(source, from, "BEGIN");
    first_text(source, from, "SELECT count(*) FROM sqlite_schema");
    create(to);
    const FileHandle target = open_file(to, SQLITE_OPEN_READWRITE);
    sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", source.get(), "main");
    if (backup == nullptr) throw_failure(to, sqlite3_errmsg(target.get()));
    int result = SQLITE_OK;
    while (result == SQLITE_OK) {
        result = sqlite3_backup_step(backup, pages_at_once);
        const int pages = sqlite3_backup_pagecount(backup);
        progress(pages - sqlite3_backup_remaining(backup), pages);
    }
    const int finished = sqlite3_backup_finish(backup);
    if (result != SQLITE_DONE || finished != SQLITE_OK) throw_failure(to, sqlite3_errmsg(target.get()));
    // One file, without a log beside it; the service turns the log on again.
    run(target, to, "PRAGMA journal_mode = DELETE");
}

std::int64_t check_snapshot(const fs::path& file) {
    const FileHandle database = open_file(file, SQLITE_OPEN_READONLY);
    if (const auto found = first_text(database, file, "PRAGMA quick_check(1)"); found != "ok")
        throw_failure(file, found);
    if (first_number(database, file, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'") == 0)
        throw_failure(file, "it is not a Consentry database");
    return first_number(database, file, schema_version_sql);
}

}  // namespace consentry::storage::sqlite
