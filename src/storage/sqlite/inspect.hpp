// Read-only inspection of a database file, for commands that must not make a schema in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace consentry::storage::sqlite {

// Returns the schema version of the file, or 0 if the file does not exist or has no schema yet. Creates no file, not
// even the two that SQLite keeps beside a database, and does not block its users. Returns nullopt if the file was
// copied while in use, without the index of its log, so that only a start can tell. Throws std::runtime_error that
// names the file if a start would refuse it: not a database, damaged, or not writable.
std::optional<std::int64_t> schema_version_of(const std::filesystem::path& file);

// Whether the file has a schema. Reads it as a start does, with the files that SQLite keeps beside it, so that other
// programs may open and close it meanwhile; throws std::runtime_error if that fails. There must be a file.
bool has_schema(const std::filesystem::path& file);

// The first column of the first row of `sql`, which reads `table`, in the same way. Returns nullopt if there is no
// file, table or row, or if only a start can tell.
std::optional<std::string> text_in(const std::filesystem::path& file, std::string_view table, const char* sql,
                                   std::span<const std::string> parameters);

}  // namespace consentry::storage::sqlite
