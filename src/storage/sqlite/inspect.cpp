#include "storage/sqlite/inspect.hpp"

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "storage/schema_version.hpp"
#include "storage/sqlite/file.hpp"

namespace consentry::storage::sqlite {
namespace {

namespace fs = std::filesystem;

fs::path beside(const fs::path& file, std::string_view ending) { return file.string().append(ending); }

struct Opened {
    FileHandle database = {};  // null if the file is empty, or if only a start can tell
    bool is_empty = false;
};

Opened open_to_look(const fs::path& file) {
    std::error_code error;
    const auto size = fs::is_directory(file) ? 0 : fs::file_size(file, error);
    if (fs::is_directory(file)) throw_failure(file, std::generic_category().message(EISDIR));
    if (error == std::errc::no_such_file_or_directory) return {.is_empty = true};
    if (error) throw_failure(file, error.message());
    if (::faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
        throw_failure(file, std::generic_category().message(errno));
    if (size == 0 && !fs::exists(beside(file, "-wal"))) return {.is_empty = true};

    // Without a log the file is complete, and SQLite need not create one to read it. With a log its index exists too,
    // unless the files were copied while in use.
    const bool has_log = fs::exists(beside(file, "-wal"));
    if (has_log && !fs::exists(beside(file, "-shm"))) return {};
    return {.database =
                open_file(file, SQLITE_OPEN_READONLY, has_log ? "mode=ro&readonly_shm=1" : "mode=ro&immutable=1")};
}

bool has_table(const FileHandle& database, const fs::path& file, std::string_view table) {
    const std::string name(table);
    return !all_texts(database, file, "SELECT name FROM sqlite_schema WHERE name = $1", {&name, 1}).empty();
}

}  // namespace

std::optional<std::int64_t> schema_version_of(const fs::path& file) {
    const Opened opened = open_to_look(file);
    if (!opened.database) return opened.is_empty ? std::optional<std::int64_t>(0) : std::nullopt;
    if (!has_table(opened.database, file, migrations_table)) return 0;
    return first_number(opened.database, file, schema_version_sql);
}

bool has_schema(const fs::path& file) {
    return has_table(open_file(file, SQLITE_OPEN_READONLY), file, migrations_table);
}

std::optional<std::string> text_in(const fs::path& file, std::string_view table, const char* sql,
                                   std::span<const std::string> parameters) {
    const Opened opened = open_to_look(file);
    if (!opened.database || !has_table(opened.database, file, table)) return std::nullopt;
    auto found = all_texts(opened.database, file, sql, parameters);
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace consentry::storage::sqlite
