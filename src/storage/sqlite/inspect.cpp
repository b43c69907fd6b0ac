#include "storage/sqlite/inspect.hpp"

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

#include "base/percent_encoding.hpp"

namespace consentry::storage::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr int busy_timeout_ms = 5'000;  // while another process recovers the log of a crashed one

struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

[[noreturn]] void fail(const fs::path& file, std::string_view why) {
    throw std::runtime_error(fmt::format("sqlite {}: {}", file.string(), why));
}

fs::path beside(const fs::path& file, std::string_view ending) { return file.string().append(ending); }

std::string uri_of(const fs::path& file, std::string_view parameters) {
    std::string out = "file:";
    for (const char c : file.string())
        if (c == '%' || c == '?' || c == '#')
            append_percent_encoded(out, c);
        else
            out.push_back(c);
    return out.append("?mode=ro&").append(parameters);
}

std::int64_t number(sqlite3* database, const fs::path& file, std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int prepared = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    const std::unique_ptr<sqlite3_stmt, Finalize> statement(raw);
    if (prepared != SQLITE_OK || sqlite3_step(raw) != SQLITE_ROW) fail(file, sqlite3_errmsg(database));
    return sqlite3_column_int64(raw, 0);
}

}  // namespace

std::optional<std::int64_t> schema_version_of(const fs::path& file) {
    std::error_code error;
    const auto size = fs::is_directory(file) ? 0 : fs::file_size(file, error);
    if (fs::is_directory(file)) fail(file, std::generic_category().message(EISDIR));
    if (error == std::errc::no_such_file_or_directory) return 0;
    if (error) fail(file, error.message());
    if (::faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
        fail(file, std::generic_category().message(errno));
    if (size == 0 && !fs::exists(beside(file, "-wal"))) return 0;

    // Without a log the file is complete, and SQLite need not create one to read it. With a log its index exists too,
    // unless the files were copied while in use.
    const bool has_log = fs::exists(beside(file, "-wal"));
    if (has_log && !fs::exists(beside(file, "-shm"))) return std::nullopt;
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(uri_of(file, has_log ? "readonly_shm=1" : "immutable=1").c_str(), &raw,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, Close> database(raw);
    if (database == nullptr) throw std::bad_alloc();
    if (opened != SQLITE_OK) fail(file, sqlite3_errmsg(raw));
    sqlite3_busy_timeout(raw, busy_timeout_ms);
    if (number(raw, file, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'") == 0) return 0;
    return number(raw, file, "SELECT COALESCE(MAX(number), 0) FROM schema_migrations");
}

}  // namespace consentry::storage::sqlite
