#include "storage/sqlite/sqlite_database.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "storage/schema_version.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/reader_pool.hpp"
#include "storage/sqlite/writer.hpp"

namespace consentry::storage {
namespace {

// Clusters the rows by primary key, so that a look-up by key takes one search instead of two. Specific to SQLite, hence
// not in the shared SQL.
std::string clustered(std::string_view statement) {
    std::string out(statement.substr(0, statement.rfind(';')));
    if (out.find("CREATE TABLE") != std::string::npos && out.find("PRIMARY KEY") != std::string::npos)
        out.append(" WITHOUT ROWID");
    return out;
}

// Another process may be rewriting a large table.
constexpr std::chrono::minutes migration_wait{5};

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what, int error) {
    throw std::runtime_error(
        fmt::format("sqlite {}: {}: {}", path.string(), what, std::generic_category().message(error)));
}

// SQLite would create the file readable by others. The files beside it (-wal, -shm) inherit its mode.
void make_file(const std::filesystem::path& file) {
    if (std::filesystem::is_directory(file)) fail(file, "is not a database file", EISDIR);
    try {
        make_folder(file.parent_path());
    } catch (const std::system_error& error) {
        throw std::runtime_error(fmt::format("sqlite {}: {}", file.string(), error.what()));
    }
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        if (errno == EEXIST) return;
        fail(file, "cannot be created", errno);
    }
    ::close(fd);
    sync_folder_of(file);
}

sqlite::ConnectionOptions connection_options(const SqliteOptions& options, int cache_kib) {
    return {.file = options.file, .vfs = options.vfs, .busy_timeout = options.busy_timeout, .cache_kib = cache_kib};
}

// Returns false if no migration was pending.
bool apply_next(sqlite::Connection& connection, const std::vector<Migration>& migrations, const std::string& file) {
    connection.run("BEGIN IMMEDIATE");  // a second process waits here, then finds the work done
    connection.run(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at BIGINT)");
    const Rows rows = connection.run(schema_version_sql);
    const std::int64_t done = rows[0].integer(0);
    const auto known = static_cast<std::int64_t>(migrations.size());
    require_known_version(done, known, fmt::format("sqlite {}: ", file));
    if (done == known) {
        connection.run("COMMIT");
        return false;
    }
    const Migration& next = migrations[static_cast<std::size_t>(done)];
    for (const std::string_view statement : next.statements)
        if (is_for(statement, "SQLite")) connection.run(clustered(statement));
    connection.run(
        "INSERT INTO schema_migrations (number, name, applied_at) "
        "VALUES ($1, $2, CAST((julianday('now') - 2440587.5) * 86400000 AS BIGINT))",
        bind_all(std::int64_t{next.number}, next.name));
    connection.run("COMMIT");
    return true;
}

}  // namespace

SqliteDatabase::SqliteDatabase(SqliteOptions options) : options_(std::move(options)) {
    make_file(options_.file);
    writer_ = std::make_unique<sqlite::Writer>(
        sqlite::WriterOptions{.connection = connection_options(options_, options_.writer_cache_kib),
                              .queue_max = options_.writer_queue_max,
                              .reopen_interval = options_.reopen_interval});
    auto reading = connection_options(options_, options_.reader_cache_kib);
    reading.read_only = true;
    readers_ = sqlite::ReaderPool::make(std::move(reading));
}

SqliteDatabase::~SqliteDatabase() = default;

void SqliteDatabase::migrate(const std::vector<Migration>& migrations) {
    auto options = connection_options(options_, options_.writer_cache_kib);
    options.busy_timeout = migration_wait;
    sqlite::Connection connection(options);
    try {
        while (apply_next(connection, migrations, options_.file.string())) {
        }
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

bool SqliteDatabase::upgrade_is_due(const std::vector<Migration>& migrations) {
    sqlite::Connection connection(connection_options(options_, options_.reader_cache_kib));
    if (connection.run("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").empty()) return false;
    const Rows rows = connection.run(schema_version_sql);
    const std::int64_t version = rows[0].integer(0);
    return version > 0 && version < std::ssize(migrations);
}

awaitable<Rows> SqliteDatabase::read(std::string_view sql, Params params) {
    try {
        co_return readers_->of_this_thread().read(sql, params);
    } catch (const sqlite::SqliteError& error) {
        throw Unavailable(error.what());
    }
}

awaitable<Rows> SqliteDatabase::read_shared(std::string_view sql) {
    try {
        co_return readers_->of_this_thread().read_shared(sql);
    } catch (const sqlite::SqliteError& error) {
        throw Unavailable(error.what());
    }
}

awaitable<Rows> SqliteDatabase::search(std::string_view sql, Params params) {
    // A copy, because the caller may be gone before the search starts.
    return searches_.run([this, text = std::string(sql),
                          params = std::move(params)](const Searches::Patience& patience) {
        try {
            return readers_->of_this_thread().connection().run_while([&] { return !patience.is_over(); }, text, params);
        } catch (const sqlite::SqliteError& error) {
            throw Unavailable(error.what());
        }
    });
}

awaitable<Outcome> SqliteDatabase::apply(Transaction transaction) {
    sqlite::Verdict verdict = co_await writer_->submit(std::move(transaction));
    co_return std::move(verdict.outcome);
}

awaitable<Rows> SqliteDatabase::write(Statement statement) {
    Transaction transaction;
    transaction.add(std::move(statement));
    sqlite::Verdict verdict = co_await writer_->submit(std::move(transaction));
    if (!verdict.violation.empty()) throw UniqueViolation(verdict.violation);
    co_return std::move(verdict.outcome.results.front());
}

awaitable<void> SqliteDatabase::ping() {
    // If the disk failed, only a write can tell whether it works again.
    if (!writer_->healthy()) co_await writer_->submit({});
    try {
        sqlite::Connection& connection = readers_->of_this_thread().connection();
        connection.run("SELECT count(*) FROM sqlite_schema");
        if (connection.file_has_moved())
            throw Unavailable(fmt::format("sqlite {}: deleted or replaced while in use", options_.file.string()));
    } catch (const sqlite::SqliteError& error) {
        throw Unavailable(error.what());
    }
}

}  // namespace consentry::storage
