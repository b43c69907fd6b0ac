#include "app/copy/copy_target.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <ranges>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"
#include "storage/columns.hpp"
#include "storage/schema_version.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Rows;
using storage::sql;
using storage::unread;
using storage::postgres::Connection;
using storage::postgres::ServerError;
using ServerResult = storage::postgres::Result;

struct FoundColumn {
    std::string table;
    std::string name;
    std::string type;
    std::int64_t place_in_key = 0;  // from 1; 0: not part of the key
};
constexpr auto found_columns =
    columns<FoundColumn>(column<"t.relname", &FoundColumn::table>, column<"c.attname", &FoundColumn::name>,
                         column<"format_type(c.atttypid, c.atttypmod)", &FoundColumn::type>,
                         column<"COALESCE(array_position(k.conkey, c.attnum), 0)", &FoundColumn::place_in_key>);

constexpr auto constraint_aid_columns =
    columns<CopyAid>(unread<"1 + CAST(k.contype <> 'f' AS INTEGER)">,
                     column<"format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, k.conname)", &CopyAid::drop>,
                     column<"format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, k.conname, "
                            "pg_get_constraintdef(k.oid))",
                            &CopyAid::create>);
constexpr auto index_aid_columns =
    columns<CopyAid>(unread<"3">, column<"format('DROP INDEX %I', c.relname)", &CopyAid::drop>,
                     column<"pg_get_indexdef(i.indexrelid)", &CopyAid::create>);

ColumnType type_of(const FoundColumn& of) {
    static const std::map<std::string, ColumnType, std::less<>> types{
        {"boolean", ColumnType::boolean},
        {"bigint", ColumnType::bigint},
        {"double precision", ColumnType::double_precision},
        {"text", ColumnType::text},
        {"bytea", ColumnType::bytea},
        {"uuid", ColumnType::uuid}};
    const auto found = types.find(of.type);
    if (found == types.end())
        throw std::runtime_error(
            fmt::format("postgres: table {}, column {}: unsupported type {}", of.table, of.name, of.type));
    return found->second;
}

std::vector<CopiedTable> tables_by_name(Connection& connection) {
    const Rows rows = connection.run(
        sql<"SELECT ", found_columns,
            " FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_attribute c ON c.attrelid = t.oid "
            "LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p' "
            "WHERE n.nspname = current_schema() AND t.relkind IN ('r', 'p') AND c.attnum > 0 AND NOT c.attisdropped "
            "ORDER BY t.relname, c.attnum">);
    std::vector<CopiedTable> out;
    for (const FoundColumn& row : found_columns.read_all(rows)) {
        if (row.table == storage::migrations_table) continue;
        if (out.empty() || out.back().name != row.table) out.push_back({.name = row.table});
        CopiedTable& table = out.back();
        if (const auto place = static_cast<std::size_t>(row.place_in_key); place != 0) {
            table.key.resize(std::max(table.key.size(), place));
            table.key[place - 1] = table.columns.size();
        }
        table.columns.push_back({.name = row.name, .type = type_of(row)});
    }
    for (const CopiedTable& table : out)
        if (table.key.empty())
            throw std::runtime_error(fmt::format("postgres: table {} has no primary key", table.name));
    return out;
}

// Drop foreign keys first: they depend on the keys of other tables.
std::vector<CopyAid> aids_of_tables(Connection& connection) {
    const Rows found = connection.run(
        sql<"SELECT ", constraint_aid_columns,
            " FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace "
            "WHERE n.nspname = current_schema() AND t.relname <> $1 AND k.contype IN ('f', 'p', 'u') "
            "UNION ALL "
            "SELECT ",
            index_aid_columns,
            " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid "
            "JOIN pg_namespace n ON n.oid = t.relnamespace "
            "WHERE n.nspname = current_schema() AND t.relkind = 'r' AND t.relname <> $1 "
            "AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY 1, 2">,
        storage::bind_all(storage::migrations_table));
    return constraint_aid_columns.read_all(found);
}

void require(const ServerResult& result, ExecStatusType status, std::string_view sql) {
    if (PQresultStatus(result.get()) != status) throw ServerError(result.get(), sql);
}

}  // namespace

CopyTarget::CopyTarget(const storage::PostgresOptions& options) : connection_(options, Connection::Use::maintenance) {
    connection_.run("BEGIN");
    // A role's timeouts are meant for the running service; a copy may take any time. Not every server version has all
    // of them.
    connection_.run(
        "SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN "
        "('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')");
    tables_ = tables_by_name(connection_);
    std::string names;
    for (const CopiedTable& table : tables_) names += (names.empty() ? "" : ", ") + sql_name(table.name);
    connection_.run(fmt::format("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", names));
}

bool CopyTarget::has_rows(const CopiedTable& table) {
    return !connection_.run(fmt::format("SELECT 1 FROM {} LIMIT 1", sql_name(table.name))).empty();
}

void CopyTarget::take_aids_down() {
    aids_ = aids_of_tables(connection_);
    for (const CopyAid& aid : aids_) connection_.run(aid.drop);
}

void CopyTarget::put_aids_up() {
    for (const CopyAid& aid : aids_ | std::views::reverse) connection_.run(aid.create);
    // Without statistics the planner would choose bad plans at first.
    for (const CopiedTable& table : tables_) connection_.run(fmt::format("ANALYZE {}", sql_name(table.name)));
}

void CopyTarget::begin(const CopiedTable& table) {
    connection_.run(fmt::format("DELETE FROM {}", sql_name(table.name)));
    copying_ = fmt::format("COPY {} ({}) FROM STDIN (FORMAT binary)", sql_name(table.name), sql_columns(table));
    require(ServerResult(PQexec(connection_.raw(), copying_.c_str())), PGRES_COPY_IN, copying_);
}

void CopyTarget::put(std::string_view part) {
    if (PQputCopyData(connection_.raw(), part.data(), static_cast<int>(part.size())) != 1)
        throw ServerError(ServerResult(PQgetResult(connection_.raw())).get(), copying_);
}

std::int64_t CopyTarget::end() {
    PQputCopyEnd(connection_.raw(), nullptr);  // if this fails, the calls below fail as well
    const ServerResult result(PQgetResult(connection_.raw()));
    require(result, PGRES_COMMAND_OK, copying_);
    const std::string_view count = PQcmdTuples(result.get());
    std::int64_t rows = 0;
    std::from_chars(count.data(), count.data() + count.size(), rows);
    while (ServerResult(PQgetResult(connection_.raw()))) {
    }
    return rows;
}

void CopyTarget::read(const CopiedTable& table, const CopySink& part) {
    struct Free {
        void operator()(char* buffer) const { PQfreemem(buffer); }
    };
    const std::string sql = fmt::format("COPY ({}) TO STDOUT (FORMAT binary)", sql_rows_by_key(table, "\"C\""));
    require(ServerResult(PQexec(connection_.raw(), sql.c_str())), PGRES_COPY_OUT, sql);
    for (;;) {
        char* buffer = nullptr;
        const int size = PQgetCopyData(connection_.raw(), &buffer, 0);
        const std::unique_ptr<char, Free> owned(buffer);
        if (size < 0) break;  // end of data or an error: the result tells which
        part({buffer, static_cast<std::size_t>(size)});
    }
    require(ServerResult(PQgetResult(connection_.raw())), PGRES_COMMAND_OK, sql);
    while (ServerResult(PQgetResult(connection_.raw()))) {
    }
}

void CopyTarget::commit() { connection_.run("COMMIT"); }

}  // namespace consentry
