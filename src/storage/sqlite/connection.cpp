#include "storage/sqlite/connection.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "storage/sqlite/file.hpp"

namespace consentry::storage::sqlite {
namespace {

// Enough for every statement of the program; statements assembled at run time evict each other.
constexpr std::size_t statements_max = 256;

// Runs before the first connection of the process; SQLite rejects a later call, which is harmless.
void initialize_once() {
    static std::once_flag once;
    std::call_once(once, [] {
        // Memory statistics take a process-wide lock for each allocation.
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        if (sqlite3_libversion_number() < 3'035'000)
            throw std::runtime_error(
                fmt::format("SQLite {} is too old; 3.35 or newer is required", sqlite3_libversion()));
    });
}

// Resets the statement on every exit path: an unfinished statement would pin the snapshot it reads.
class Execution {
public:
    explicit Execution(sqlite3_stmt* statement) : statement_(statement) {}
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;
    ~Execution() {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);  // they point into the caller's parameters
    }

private:
    sqlite3_stmt* statement_;
};

int bind_one(sqlite3_stmt* statement, int index, const Param& param) {
    struct Binder {
        sqlite3_stmt* to;
        int index;
        int operator()(std::monostate) const { return sqlite3_bind_null(to, index); }
        int operator()(bool value) const { return sqlite3_bind_int(to, index, value ? 1 : 0); }
        int operator()(std::int64_t value) const { return sqlite3_bind_int64(to, index, value); }
        int operator()(double value) const { return sqlite3_bind_double(to, index, value); }
        int operator()(const std::string& value) const {
            return sqlite3_bind_text64(to, index, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
        }
        int operator()(const Bytes& value) const {
            // A null pointer would mean NULL, not zero bytes.
            if (value.empty()) return sqlite3_bind_zeroblob(to, index, 0);
            return sqlite3_bind_blob64(to, index, value.data(), value.size(), SQLITE_STATIC);
        }
        int operator()(const Uuid& value) const {
            const std::string text = value.text();
            return sqlite3_bind_text64(to, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        }
    };
    return std::visit(Binder{statement, index}, param);
}

Value column_value(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            return std::int64_t{sqlite3_column_int64(statement, column)};
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, column);
        case SQLITE_TEXT: {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            if (text == nullptr) throw std::bad_alloc();
            return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
        }
        case SQLITE_BLOB: {
            const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, column));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
            if (bytes == nullptr && size != 0) throw std::bad_alloc();
            return Bytes(bytes, bytes + size);
        }
        default:
            return std::monostate{};
    }
}

bool is_blank(std::string_view sql) {
    // A statement may be followed by ';', whitespace, and comments.
    while (!sql.empty()) {
        if (sql.starts_with("--")) {
            sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
        } else if (std::string_view(" \t\r\n;").contains(sql.front())) {
            sql.remove_prefix(1);
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace

bool SqliteError::is_unique_violation() const {
    return code_ == SQLITE_CONSTRAINT_UNIQUE || code_ == SQLITE_CONSTRAINT_PRIMARYKEY ||
           code_ == SQLITE_CONSTRAINT_ROWID;
}

bool SqliteError::is_busy() const { return (code_ & 0xFF) == SQLITE_BUSY || (code_ & 0xFF) == SQLITE_LOCKED; }

bool SqliteError::is_storage_failure() const {
    switch (code_ & 0xFF) {
        case SQLITE_IOERR:
        case SQLITE_FULL:
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PROTOCOL:
        case SQLITE_PERM:
            return true;
        default:
            return false;
    }
}

bool SqliteError::ends_transaction() const {
    const int primary = code_ & 0xFF;
    return is_storage_failure() || is_busy() || primary == SQLITE_NOMEM || primary == SQLITE_INTERRUPT;
}

void Connection::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Connection::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Connection::Connection(const ConnectionOptions& options) : options_(options), busy_timeout_(options.busy_timeout) {
    initialize_once();
    sqlite3* db = nullptr;
    // NOMUTEX: only one thread uses a connection at a time. Never CREATE, so that a missing file is an error.
    const int result =
        sqlite3_open_v2(plain_name(options_.file).c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        options_.vfs.empty() ? nullptr : options_.vfs.c_str());
    db_.reset(db);
    if (db == nullptr) throw std::bad_alloc();
    sqlite3_extended_result_codes(db, 1);
    if (result != SQLITE_OK) fail(sqlite3_extended_errcode(db));
    configure();
}

Connection::~Connection() = default;

void Connection::configure() {
    sqlite3* db = db_.get();
    sqlite3_busy_handler(db, &Connection::on_busy, this);
    // SQLite silently opens a file without write permission as read-only; only this call reveals it.
    if (sqlite3_db_readonly(db, "main") == 1)
        throw SqliteError(SQLITE_READONLY, fmt::format("sqlite {}: not writable", options_.file.string()));
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);

    run(fmt::format("PRAGMA cache_size = -{}", options_.cache_kib));
    run("PRAGMA cell_size_check = ON");   // detects damaged pages when they are read
    run("PRAGMA temp_store = MEMORY");    // no user data in files that outlive the process
    const Rows mode = write_ahead_log();  // the first access to the file: fails if it is not a database
    if (mode.empty() || mode[0].text(0) != "wal")
        throw SqliteError(SQLITE_ERROR,
                          fmt::format("sqlite {}: cannot use a write-ahead log here (is this a network file system?)",
                                      options_.file.string()));
    run("PRAGMA synchronous = FULL");
    run("PRAGMA foreign_keys = ON");
    run("PRAGMA journal_size_limit = 16777216");
    // Reads and parses the schema, which detects a truncated file and a damaged first page.
    run("SELECT count(*) FROM sqlite_schema");
    const Rows math = run("SELECT power(2, 3), ceil(0.5)");  // fails to prepare if SQLite lacks them
    if (math[0].real(0) != 8.0) throw SqliteError(SQLITE_ERROR, "sqlite: power(2, 3) is not 8");
    // Replaces the automatic checkpoint, which hides a failed sync.
    sqlite3_wal_hook(db, &Connection::on_commit, this);
    if (options_.read_only) run("PRAGMA query_only = ON");
    refuses_writes_ = options_.read_only;  // only now, because setting the journal mode counts as a write
    statements_.clear();
}

Rows Connection::write_ahead_log() {
    const auto deadline = std::chrono::steady_clock::now() + busy_timeout_;
    for (;;) {
        try {
            return run("PRAGMA journal_mode = WAL");
        } catch (const SqliteError& error) {
            // When two processes open a new file at once, SQLite refuses one of them without calling its busy handler.
            if (!error.is_busy() || std::chrono::steady_clock::now() >= deadline) throw;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

Rows Connection::run(std::string_view sql, const Params& params) {
    Prepared& statement = prepared(sql);
    if (refuses_writes_ && statement.changes_rows)
        throw SqliteError(SQLITE_READONLY,
                          fmt::format("sqlite {}: a read that writes: {:.200}", options_.file.string(), sql));
    sqlite3_stmt* raw = statement.statement.get();
    const Execution execution(raw);
    bind(statement, params);

    const std::int64_t changed_before = statement.changes_rows ? sqlite3_total_changes(db_.get()) : 0;
    std::vector<Value> values;
    int result = SQLITE_OK;
    while ((result = sqlite3_step(raw)) == SQLITE_ROW) {
        const int columns = sqlite3_column_count(raw);
        if (values.empty()) values.reserve(static_cast<std::size_t>(columns));
        for (int column = 0; column < columns; ++column) values.push_back(column_value(raw, column));
    }
    if (result != SQLITE_DONE) fail(result);
    // sqlite3_changes() reports the last statement that could change rows, so it does not return to 0 after a statement
    // like CREATE TABLE; the total does not change for those.
    const bool changed = statement.changes_rows && sqlite3_total_changes(db_.get()) != changed_before;
    return {static_cast<std::size_t>(sqlite3_column_count(raw)), std::move(values),
            changed ? sqlite3_changes(db_.get()) : 0};
}

Connection::Prepared& Connection::prepared(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
        Prepared fresh = prepare(sql);
        if (statements_.size() >= statements_max) evict_one();
        found = statements_.emplace(std::string(sql), std::move(fresh)).first;
    }
    found->second.used = ++uses_;
    return found->second;
}

Connection::Prepared Connection::prepare(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int result =
        sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &raw, &tail);
    Prepared out{.statement = {raw, {}}, .parameters = {}};
    if (result != SQLITE_OK) fail(result, sql);
    const auto broken = [&](std::string_view why) {
        return SqliteError(SQLITE_ERROR, fmt::format("sqlite {}: {}: {:.200}", options_.file.string(), why, sql));
    };
    if (raw == nullptr) throw broken("empty statement");
    if (!is_blank(sql.substr(static_cast<std::size_t>(tail - sql.data())))) throw broken("more than one statement");

    std::vector<bool> seen;
    for (int index = 1; index <= sqlite3_bind_parameter_count(raw); ++index) {
        const char* name = sqlite3_bind_parameter_name(raw, index);
        const std::string_view text = name == nullptr ? "?" : name;
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
        if (text[0] != '$' || error != std::errc{} || end != text.data() + text.size() || number == 0 || number > 999)
            throw broken("parameters are $1 to $999");
        out.parameters.push_back(number - 1);
        out.parameters_max = std::max(out.parameters_max, number);
        seen.resize(out.parameters_max);
        seen[number - 1] = true;
    }
    // PostgreSQL cannot infer the type of an unused parameter.
    if (std::ranges::count(seen, false) != 0) throw broken("a parameter number is left out");
    out.changes_rows = sqlite3_stmt_readonly(raw) == 0;
    return out;
}

void Connection::evict_one() {
    const auto oldest = std::ranges::min_element(statements_, {}, [](const auto& entry) { return entry.second.used; });
    statements_.erase(oldest);
}

void Connection::bind(const Prepared& prepared, const Params& params) {
    if (params.size() != prepared.parameters_max)
        throw SqliteError(SQLITE_RANGE,
                          fmt::format("sqlite {}: {} parameters for {}: {:.200}", options_.file.string(), params.size(),
                                      prepared.parameters_max, sqlite3_sql(prepared.statement.get())));
    for (std::size_t i = 0; i < prepared.parameters.size(); ++i) {
        const int result = bind_one(prepared.statement.get(), static_cast<int>(i) + 1, params[prepared.parameters[i]]);
        if (result != SQLITE_OK) fail(result);
    }
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

void Connection::roll_back() noexcept {
    if (in_transaction()) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

bool Connection::has_open_foreign_keys() const {
    int open = 0;
    int unused = 0;
    sqlite3_db_status(db_.get(), SQLITE_DBSTATUS_DEFERRED_FKS, &open, &unused, 0);
    return open != 0;
}

bool Connection::file_has_moved() const {
    int moved = 0;
    const int result = sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return result == SQLITE_OK && moved != 0;
}

void Connection::fail(int code, std::string_view context) const {
    const int extended = sqlite3_extended_errcode(db_.get());
    // The message of an earlier error must not explain this one.
    const char* message = (extended & 0xFF) == (code & 0xFF) ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code);
    std::string what = fmt::format("sqlite {}: {} ({})", options_.file.string(), message, code);
    if (!context.empty()) what += fmt::format(": {:.200}", context);
    throw SqliteError(code, what);
}

Rows Connection::run_while(const std::function<bool()>& wanted, std::string_view sql, const Params& params) {
    // Steps of SQLite's virtual machine between two polls; some tens of microseconds.
    constexpr int steps = 2'000;
    struct Asking {
        Asking(sqlite3* db, const std::function<bool()>& whom) : db_(db) {
            sqlite3_progress_handler(db_, steps, &Connection::on_progress, const_cast<std::function<bool()>*>(&whom));
        }
        ~Asking() { sqlite3_progress_handler(db_, 0, nullptr, nullptr); }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;

    private:
        sqlite3* db_;
    };
    const Asking asking(db_.get(), wanted);
    return run(sql, params);
}

int Connection::on_progress(void* wanted) { return (*static_cast<const std::function<bool()>*>(wanted))() ? 0 : 1; }

int Connection::on_busy(void* self, int attempt) {
    auto& connection = *static_cast<Connection*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (attempt == 0) connection.busy_since_ = now;
    if (now - connection.busy_since_ >= connection.busy_timeout_) return 0;
    // SQLite's own handler ends up polling ten times a second, so it misses the short gaps between the commits of a
    // busy service.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1;
}

}  // namespace consentry::storage::sqlite
