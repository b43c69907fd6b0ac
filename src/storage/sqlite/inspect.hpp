// A look at a database file that changes nothing, for `consentry config check`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace consentry::storage::sqlite {

// The version of the file's schema: 0 where the file is not there or has no schema yet. Makes no file, not even the
// two that SQLite keeps beside a database, and holds up nobody who uses it. nullopt: the file was copied in the middle
// of its work, without the index of its log, and only a start can tell.
// Throws std::runtime_error naming the file where a start would refuse it: no database, damaged, not writable.
std::optional<std::int64_t> schema_version_of(const std::filesystem::path& file);

}  // namespace consentry::storage::sqlite
