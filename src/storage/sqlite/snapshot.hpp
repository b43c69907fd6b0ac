// A copy of a database file at one moment, also while others read and write it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace consentry::storage::sqlite {

// Copies the database into a new file (0600) and syncs it. Readers go on. Writers wait at most once, for 100 ms, when
// they have written 32 MiB; the write-ahead log of the source grows meanwhile. `progress` gets the pages copied and
// their number. Throws std::runtime_error that names the file at fault; the copy is then incomplete and must be
// removed.
void take_snapshot(const std::filesystem::path& from, const std::filesystem::path& to,
                   const std::function<void(int copied, int pages)>& progress);

// Reads the whole file and checks its structure (PRAGMA quick_check). Returns the schema version. Throws
// std::runtime_error that names the file if it is damaged or no database of this program. The file must not be in use.
std::int64_t check_snapshot(const std::filesystem::path& file);

}  // namespace consentry::storage::sqlite
