// The schema version of a database is the number of the last migration applied to it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace consentry::storage {

// Each database records its own applied migrations here.
inline constexpr std::string_view migrations_table = "schema_migrations";
inline constexpr const char* schema_version_sql = "SELECT COALESCE(MAX(number), 0) FROM schema_migrations";

// Throws std::runtime_error if the schema is newer than this program, which would misread it. `where` prefixes the
// message.
inline void require_known_version(std::int64_t found, std::int64_t known, std::string_view where = {}) {
    if (found > known)
        throw std::runtime_error(fmt::format(
            "{}the schema has version {}, this program supports versions up to {}; a newer program is required", where,
            found, known));
}

}  // namespace consentry::storage
