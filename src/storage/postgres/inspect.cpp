#include "storage/postgres/inspect.hpp"

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "storage/postgres/connection.hpp"

namespace consentry::storage::postgres {

std::int64_t schema_version_of(const PostgresOptions& options, std::int64_t known) {
    Connection connection(options, Connection::Use::serving);
    const Rows facts = connection.run(
        "SELECT COALESCE(CAST(current_schema() AS text), ''), current_setting('transaction_read_only') = 'on', "
        "to_regclass('schema_migrations') IS NOT NULL");
    const std::string schema = facts[0].text(0);
    if (schema.empty()) throw std::runtime_error("there is no schema to create tables in: look at search_path");
    if (facts[0].boolean(1)) throw std::runtime_error("the server is read-only");

    std::int64_t version = 0;
    if (facts[0].boolean(2)) {
        version = connection.run("SELECT COALESCE(MAX(number), 0) FROM schema_migrations")[0].integer(0);
        const Rows may = connection.run(
            "SELECT has_table_privilege('schema_migrations', 'INSERT') AND "
            "has_table_privilege('schema_migrations', 'UPDATE')");
        if (!may[0].boolean(0)) throw std::runtime_error("the role may not write to the table schema_migrations");
    }
    if (version < known && !connection.run("SELECT has_schema_privilege(current_schema(), 'CREATE')")[0].boolean(0))
        throw std::runtime_error(fmt::format("the role may not create tables in the schema {}", schema));
    return version;
}

}  // namespace consentry::storage::postgres
