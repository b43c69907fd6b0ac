// One database file, opened outside the service's own connections: to look at its schema or to copy it. Blocks. Every
// failure but a lack of memory is a std::runtime_error that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

namespace consentry::storage::sqlite {

struct CloseFile {
    void operator()(sqlite3* database) const;
};
using FileHandle = std::unique_ptr<sqlite3, CloseFile>;

[[noreturn]] void throw_failure(const std::filesystem::path& file, std::string_view why);

// What to pass to SQLite, which takes a name that begins with `file:` for a URI, and `:memory:` for no file: the
// service would look at one file, or lock it, and open another.
std::string plain_name(const std::filesystem::path& file);

// `flags` are those of sqlite3_open_v2, `parameters` those of a URI. Waits up to five seconds for another process that
// recovers the log of a crashed one.
FileHandle open_file(const std::filesystem::path& file, int flags, std::string_view parameters = {});

// Return the first column of the first row. Empty or 0 for NULL.
std::string first_text(const FileHandle& database, const std::filesystem::path& file, const char* sql);
std::int64_t first_number(const FileHandle& database, const std::filesystem::path& file, const char* sql);
// The first column of all rows. `parameters` are $1, $2 and so on.
std::vector<std::string> all_texts(const FileHandle& database, const std::filesystem::path& file, const char* sql,
                                   std::span<const std::string> parameters = {});

}  // namespace consentry::storage::sqlite
