#include "app/copy/copy_source.hpp"

#include <bit>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <boost/endian/conversion.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text.hpp"
#include "base/uuid.hpp"
#include "base/wrong_settings.hpp"
#include "storage/schema_version.hpp"
#include "storage/sqlite/file.hpp"

namespace consentry {
namespace {

// Waits for a process that recovers the write-ahead log of a crashed one: the only thing that blocks a reader.
constexpr int busy_timeout_ms = 5'000;

class Query {
public:
    Query(sqlite3* database, const std::filesystem::path& file, std::string_view sql)
        : database_(database), file_(file) {
        if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) != SQLITE_OK)
            fail();
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query() { sqlite3_finalize(statement_); }

    // Returns false after the last row.
    bool next() {
        const int result = sqlite3_step(statement_);
        if (result != SQLITE_ROW && result != SQLITE_DONE) fail();
        return result == SQLITE_ROW;
    }
    int type(int column) const { return sqlite3_column_type(statement_, column); }
    std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
    double real(int column) const { return sqlite3_column_double(statement_, column); }
    // A text or blob column; valid until the next row.
    std::string_view bytes(int column) const {
        const void* data = sqlite3_column_blob(statement_, column);
        const int size = sqlite3_column_bytes(statement_, column);
        if (data == nullptr && size != 0) throw std::bad_alloc();
        return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
    }

private:
    [[noreturn]] void fail() const {
        const std::string text = fmt::format("sqlite {}: {} ({})", file_.string(), sqlite3_errmsg(database_),
                                             sqlite3_extended_errcode(database_));
        if (sqlite3_errcode(database_) == SQLITE_NOTADB) throw WrongSettings(text);
        throw std::runtime_error(text);
    }
    sqlite3* database_;
    const std::filesystem::path& file_;
    sqlite3_stmt* statement_ = nullptr;
};

template <class Number>
void append_number(std::string& out, Number number) {
    boost::endian::native_to_big_inplace(number);
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_bytes(std::string& out, std::string_view bytes) {
    append_number(out, static_cast<std::int32_t>(bytes.size()));
    out.append(bytes);
}

// A field is its length in bytes (-1 for NULL) followed by the value in the format of the type's send function. Returns
// the problem if a value cannot be represented.
std::string_view append_field(std::string& out, const Query& row, int column, ColumnType type) {
    const int stored = row.type(column);
    if (stored == SQLITE_NULL) {
        append_number(out, std::int32_t{-1});
        return {};
    }
    switch (type) {
        case ColumnType::boolean:
            if (stored != SQLITE_INTEGER || (row.integer(column) != 0 && row.integer(column) != 1))
                return "is neither 0 nor 1";
            append_number(out, std::int32_t{1});
            out.push_back(row.integer(column) == 1 ? '\1' : '\0');
            return {};
        case ColumnType::bigint:
            if (stored != SQLITE_INTEGER) return "is not an integer";
            append_number(out, std::int32_t{8});
            append_number(out, row.integer(column));
            return {};
        case ColumnType::double_precision:
            if (stored != SQLITE_FLOAT) return "is not a number";
            append_number(out, std::int32_t{8});
            append_number(out, std::bit_cast<std::uint64_t>(row.real(column)));
            return {};
        case ColumnType::text:
            if (stored != SQLITE_TEXT) return "is not text";
            if (row.bytes(column).contains('\0')) return "contains a zero byte, which PostgreSQL cannot store in text";
            if (!code_points(row.bytes(column))) return "is not valid UTF-8, which PostgreSQL requires in text";
            append_bytes(out, row.bytes(column));
            return {};
        case ColumnType::bytea:
            if (stored != SQLITE_BLOB) return "is not a byte string";
            append_bytes(out, row.bytes(column));
            return {};
        case ColumnType::uuid: {
            const auto uuid = stored == SQLITE_TEXT ? Uuid::parse(row.bytes(column)) : std::nullopt;
            // Upper case would sort differently in the two databases, and SQLite lookups by such an id fail.
            if (!uuid || uuid->text() != row.bytes(column)) return "is not a lowercase UUID";
            append_number(out, std::int32_t{16});
            for (const std::uint8_t byte : uuid->bytes()) out.push_back(static_cast<char>(byte));
            return {};
        }
    }
    std::unreachable();
}

// Identifies a row by the ids in its key. Other key columns may hold personal data or secrets.
std::string name_of_row(const CopiedTable& table, const Query& row, std::int64_t number) {
    std::string out;
    for (const std::size_t place : table.key) {
        const CopiedColumn& column = table.columns[place];
        const int at = static_cast<int>(place);
        if (column.type == ColumnType::uuid && row.type(at) == SQLITE_TEXT && Uuid::parse(row.bytes(at)))
            out += fmt::format(", {} {}", column.name, row.bytes(at));
        if (column.type == ColumnType::bigint && row.type(at) == SQLITE_INTEGER)
            out += fmt::format(", {} {}", column.name, row.integer(at));
    }
    return out + fmt::format(", row {} in key order", number);
}

}  // namespace

void CopySource::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

CopySource::CopySource(std::filesystem::path file, std::int64_t version) : file_(std::move(file)) {
    if (!std::filesystem::is_regular_file(file_))
        throw WrongSettings(fmt::format("sqlite {}: file not found", file_.string()));
    sqlite3* database = nullptr;
    const int opened = sqlite3_open_v2(storage::sqlite::plain_name(file_).c_str(), &database,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(database);
    if (database == nullptr) throw std::bad_alloc();
    if (opened != SQLITE_OK)
        throw std::runtime_error(fmt::format("sqlite {}: {}", file_.string(), sqlite3_errmsg(database)));
    sqlite3_extended_result_codes(database, 1);
    sqlite3_busy_timeout(database, busy_timeout_ms);
    // cell_size_check rejects damaged pages when they are read. The first read after BEGIN determines the snapshot.
    for (const char* sql : {"PRAGMA cell_size_check = ON", "BEGIN"}) Query(database, file_, sql).next();
    Query columns(database, file_,
                  "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_xinfo(t.name) c "
                  "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    while (columns.next()) tables_[std::string(columns.bytes(0))].emplace(columns.bytes(1));
    require_version(version);
    tables_.erase(std::string(storage::migrations_table));  // never copied: each database records its own
}

void CopySource::require_version(std::int64_t version) {
    const auto account = tables_.find(std::string(storage::migrations_table));
    if (account == tables_.end() || !account->second.contains("number"))
        throw WrongSettings(fmt::format("sqlite {}: not a Consentry database", file_.string()));
    Query applied(database_.get(), file_, storage::schema_version_sql);
    applied.next();
    const std::int64_t found = applied.integer(0);
    try {
        storage::require_known_version(found, version, fmt::format("sqlite {}: ", file_.string()));
    } catch (const std::runtime_error& newer) {
        throw WrongSettings(newer.what());
    }
    if (found < version)
        throw WrongSettings(
            fmt::format("sqlite {0}: the schema has version {1}, this program requires {2}; upgrade it first with "
                        "`DATABASE_URL=sqlite:{0} consentry migrate`",
                        file_.string(), found, version));
}

std::int64_t CopySource::count(const CopiedTable& table) const {
    Query query(database_.get(), file_, fmt::format("SELECT count(*) FROM {}", sql_name(table.name)));
    query.next();
    return query.integer(0);
}

void CopySource::read(const CopiedTable& table, const CopySink& row) const {
    Query query(database_.get(), file_, sql_rows_by_key(table, "BINARY"));
    std::string fields;
    for (std::int64_t number = 1; query.next(); ++number) {
        fields.clear();
        append_number(fields, static_cast<std::int16_t>(table.columns.size()));
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const auto& [name, type] = table.columns[i];
            if (const auto problem = append_field(fields, query, static_cast<int>(i), type); !problem.empty())
                throw std::runtime_error(fmt::format("sqlite {}: table {}{}: the value of column {} {}", file_.string(),
                                                     table.name, name_of_row(table, query, number), name, problem));
        }
        row(fields);
    }
}

}  // namespace consentry
