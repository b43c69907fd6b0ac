#include "storage/sqlite/snapshot.hpp"

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sqlite3.h>

namespace consentry::storage::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr int busy_timeout_ms = 5'000;
constexpr int pages_at_once = 1'024;

struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

[[noreturn]] void fail(const fs::path& file, std::string_view why) {
    throw std::runtime_error(fmt::format("sqlite {}: {}", file.string(), why));
}

Handle open_file(const fs::path& file, int flags) {
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(file.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Handle out(raw);
    if (raw == nullptr) throw std::bad_alloc();
    if (opened != SQLITE_OK) fail(file, sqlite3_errmsg(raw));
    sqlite3_busy_timeout(raw, busy_timeout_ms);
    return out;
}

void run(const Handle& database, const fs::path& file, const char* sql) {
    if (sqlite3_exec(database.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        fail(file, sqlite3_errmsg(database.get()));
}

// The first column of the first row.
std::string first(const Handle& database, const fs::path& file, const char* sql) {
    sqlite3_stmt* statement = nullptr;
    const bool prepared = sqlite3_prepare_v2(database.get(), sql, -1, &statement, nullptr) == SQLITE_OK;
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(statement, &sqlite3_finalize);
    if (!prepared || sqlite3_step(statement) != SQLITE_ROW) fail(file, sqlite3_errmsg(database.get()));
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    return text == nullptr ? std::string() : std::string(text);
}

// SQLite would create the file with the usual mode, readable by others.
void create(const fs::path& file) {
    const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) fail(file, std::generic_category().message(errno));
    close(made);
}

}  // namespace

void take_snapshot(const fs::path& from, const fs::path& to, const std::function<void(int, int)>& progress) {
    const Handle source = open_file(from, SQLITE_OPEN_READWRITE);
    // An open read transaction keeps the copy at one moment: without it, SQLite would start again whenever another
    // process has written.
    run(source, from, "BEGIN");
    first(source, from, "SELECT count(*) FROM sqlite_schema");
    create(to);
    const Handle target = open_file(to, SQLITE_OPEN_READWRITE);
    sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", source.get(), "main");
    if (backup == nullptr) fail(to, sqlite3_errmsg(target.get()));
    int result = SQLITE_OK;
    while (result == SQLITE_OK) {
        result = sqlite3_backup_step(backup, pages_at_once);
        const int pages = sqlite3_backup_pagecount(backup);
        progress(pages - sqlite3_backup_remaining(backup), pages);
    }
    const int finished = sqlite3_backup_finish(backup);
    if (result != SQLITE_DONE || finished != SQLITE_OK) fail(to, sqlite3_errmsg(target.get()));
    // One file, without a log beside it; the service turns the log on again.
    run(target, to, "PRAGMA journal_mode = DELETE");
}

std::int64_t check_snapshot(const fs::path& file) {
    const Handle database = open_file(file, SQLITE_OPEN_READONLY);
    if (const auto found = first(database, file, "PRAGMA quick_check(1)"); found != "ok") fail(file, found);
    if (first(database, file, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'") == "0")
        fail(file, "it is no database of Consentry");
    return std::stoll(first(database, file, "SELECT COALESCE(MAX(number), 0) FROM schema_migrations"));
}

}  // namespace consentry::storage::sqlite
