#include "storage/postgres/inspect.hpp"

#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "storage/postgres/connection.hpp"
#include "storage/schema_version.hpp"

namespace consentry::storage::postgres {

namespace {

enum class Need { read, read_and_write };

// Skips tables that do not exist.
void require_rights(Connection& connection, std::string_view tables, Need need) {
    const std::string lacking =
        connection
            .run(
                "SELECT COALESCE(string_agg(format('%I.%I', n.nspname, c.relname), ', ' ORDER BY c.relname), '') "
                "FROM unnest(string_to_array($1, ',')) AS name JOIN pg_class c ON c.oid = to_regclass(name) "
                "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT has_table_privilege(c.oid, 'SELECT') "
                "OR ($2 AND NOT has_table_privilege(c.oid, 'UPDATE'))",
                bind_all(tables, need == Need::read_and_write))[0]
            .text(0);
    if (lacking.empty()) return;
    const std::string role = connection.run("SELECT quote_ident(current_user)")[0].text(0);
    throw std::runtime_error(
        fmt::format("the role lacks permission to {} {}: run `GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {}` as the "
                    "owner of the tables",
                    need == Need::read ? "read" : "read and write", lacking, lacking, role));
}

}  // namespace

std::int64_t schema_version(Connection& connection, std::span<const Migration> migrations) {
    const std::int64_t known = std::ssize(migrations);
    const Rows facts = connection.run(
        "SELECT COALESCE(CAST(current_schema() AS text), ''), current_setting('transaction_read_only') = 'on', "
        "to_regclass('schema_migrations') IS NOT NULL");
    const std::string schema = facts[0].text(0);
    if (schema.empty()) throw std::runtime_error("no schema exists to create tables in; check search_path");
    if (facts[0].boolean(1)) throw std::runtime_error("the server is read-only");

    std::int64_t version = 0;
    if (facts[0].boolean(2)) {
        require_rights(connection, migrations_table, Need::read_and_write);
        version = connection.run(schema_version_sql)[0].integer(0);
    }
    if (version == known) {
        // A table that the owner has created after the last GRANT has no grants at all. Which rights to write the role
        // has, the operator decides: some may be withheld on purpose.
        const auto tables = created_tables(migrations, "PostgreSQL");
        require_rights(connection, fmt::format("{}", fmt::join(tables, ",")), Need::read);
    }
    if (version >= known) return version;

    const Rows may = connection.run(
        "SELECT has_schema_privilege(current_schema(), 'CREATE') AND NOT EXISTS (SELECT 1 FROM pg_class "
        "WHERE oid = to_regclass('schema_migrations') AND NOT pg_has_role(relowner, 'USAGE'))");
    if (may[0].boolean(0)) return version;
    const std::string trouble =
        version == 0
            ? fmt::format("the schema {} has no tables yet, and the role lacks permission to create them", schema)
            : fmt::format(
                  "the tables in the schema {} have version {}, this program needs version {}, and "
                  "the role lacks permission to change them",
                  schema, version, known);
    throw std::runtime_error(trouble + ": run `consentry migrate` with a role that has it");
}

std::int64_t schema_version_of(const PostgresOptions& options, std::span<const Migration> migrations) {
    Connection connection(options, Connection::Use::serving);
    return schema_version(connection, migrations);
}

std::optional<std::string> text_in(const PostgresOptions& options, std::string_view table, std::string_view sql,
                                   std::span<const std::string> parameters) {
    Connection connection(options, Connection::Use::serving);
    const Rows exists = connection.run("SELECT to_regclass($1) IS NOT NULL", bind_all(table));
    if (!exists[0].boolean(0)) return std::nullopt;
    const Rows found = connection.run(sql, Params(parameters.begin(), parameters.end()));
    return found.empty() ? std::nullopt : std::optional(found[0].text(0));
}

}  // namespace consentry::storage::postgres
