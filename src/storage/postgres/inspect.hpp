// A look at a PostgreSQL database that changes nothing, for `consentry config check`.
#pragma once

#include <cstdint>

#include "storage/postgres/options.hpp"

namespace consentry::storage::postgres {

// The version of the database's schema; 0: there is none yet. `known` is the version that a start would bring it to.
// Throws std::runtime_error where a start would refuse the server: away, a wrong password, a replica, missing rights.
std::int64_t schema_version_of(const PostgresOptions& options, std::int64_t known);

}  // namespace consentry::storage::postgres
