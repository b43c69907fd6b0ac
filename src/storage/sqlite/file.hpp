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

// `name` is the path of `file` or a URI with it; `flags` are those of sqlite3_open_v2. Waits up to five seconds for
// another process that recovers the log of a crashed one.
FileHandle open_file(const std::string& name, const std::filesystem::path& file, int flags);

// Return the first column of the first row. Empty or 0 for NULL.
std::string first_text(const FileHandle& database, const std::filesystem::path& file, const char* sql);
std::int64_t first_number(const FileHandle& database, const std::filesystem::path& file, const char* sql);
// The first column of all rows. `parameters` are $1, $2 and so on.
std::vector<std::string> all_texts(const FileHandle& database, const std::filesystem::path& file, const char* sql,
                                   std::span<const std::string> parameters = {});

}  // namespace consentry::storage::sqlite
