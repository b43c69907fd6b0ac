// Read-only inspection of a PostgreSQL database, as a start would find it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "storage/migrations.hpp"
#include "storage/postgres/options.hpp"

namespace consentry::storage::postgres {

class Connection;

// Returns the schema version, or 0 if there is no schema yet. `migrations` are those that a start would apply. Throws
// std::runtime_error if a start would fail: a replica, or missing privileges. A role needs the privilege to create and
// alter tables only if migrations are pending. If none is, it must be allowed to read the tables that they create.
std::int64_t schema_version(Connection& connection, std::span<const Migration> migrations);

// The same for `consentry config check`. Also throws if the server is unreachable or refuses the password.
std::int64_t schema_version_of(const PostgresOptions& options, std::span<const Migration> migrations);

// The first column of the first row of `sql`, which reads `table`, in the same way. `parameters` are $1, $2 and so on.
// Returns nullopt if there is no such table or row.
std::optional<std::string> text_in(const PostgresOptions& options, std::string_view table, std::string_view sql,
                                   std::span<const std::string> parameters);

}  // namespace consentry::storage::postgres
