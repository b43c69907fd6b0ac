// What a start finds in a PostgreSQL database. Looking changes nothing.
#pragma once

#include <cstdint>

#include "storage/postgres/options.hpp"

namespace consentry::storage::postgres {

class Connection;

// The version of the database's schema; 0: there is none yet. `known` is the version that a start would bring it to.
// Throws std::runtime_error where a start cannot go on: a replica, missing rights. A role needs the right to create
// and change tables only where there is something to create or change.
std::int64_t schema_version(Connection& connection, std::int64_t known);

// The same for `consentry config check`, of a server that may be away or refuse the password as well.
std::int64_t schema_version_of(const PostgresOptions& options, std::int64_t known);

}  // namespace consentry::storage::postgres
