// One SQLite connection with its prepared statements. Not thread-safe: one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/database.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace consentry::storage::sqlite {

// The message names the file and quotes SQLite's error, never a bound value.
class SqliteError : public std::runtime_error {
public:
    SqliteError(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
    int code() const { return code_; }  // extended result code
    bool is_unique_violation() const;
    bool is_busy() const;
    // The file or the storage below it failed: nothing more may be acknowledged on this connection.
    bool is_storage_failure() const;
    // The whole transaction is lost, not only the statement.
    bool ends_transaction() const;

private:
    int code_;
};

struct ConnectionOptions {
    std::filesystem::path file = {};  // must exist; a connection never creates it
    std::string vfs = {};             // empty: the default
    std::chrono::milliseconds busy_timeout{5000};
    int cache_kib = 1024;    // page cache limit
    bool read_only = false;  // refuses statements that would change the database
};

class Connection {
public:
    // Throws SqliteError if the file cannot be opened, is not a database, or is visibly damaged.
    explicit Connection(const ConnectionOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Runs one statement, which is prepared once and cached. Throws SqliteError. If it throws inside a transaction, the
    // statement's effects are undone; in_transaction() tells whether the transaction is still open.
    Rows run(std::string_view sql, const Params& params = {});

    // The same for a statement that may take long: it is interrupted (SQLITE_INTERRUPT) once `wanted` returns false.
    Rows run_while(const std::function<bool()>& wanted, std::string_view sql, const Params& params);

    bool in_transaction() const;
    // Rolls back an open transaction. Ignores a failure to do so, because the caller is already handling an earlier
    // error.
    void roll_back() noexcept;
    // Whether a deferred foreign key is violated, which would fail the COMMIT of the whole group.
    bool has_open_foreign_keys() const;
    // Whether the file was deleted or replaced while open.
    bool file_has_moved() const;

    // Frames in the write-ahead log after the last commit of this connection.
    int wal_frames() const { return wal_frames_; }
    // Copies the log into the database as far as readers allow, without waiting.
    void copy_log();
    enum class LogEmptied : std::uint8_t {
        yes,
        no,
        no_same_reader,  // that was already in the way of the previous call, such as a backup
    };
    // Copies the whole log into the database and empties it. Waits up to `wait` for readers and writers that are in the
    // way, except for the same reader. Both throw SqliteError if the storage failed.
    LogEmptied empty_log(std::chrono::milliseconds wait);

    // A copy of the header of the write-ahead log's index in shared memory.
    struct LogState {
        std::array<std::uint32_t, 12> words{};
    };
    // Returns whether any process committed since `seen` was last updated, and updates it. Also returns true if it
    // cannot tell. Makes no system call.
    bool has_moved_on(LogState& seen);

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    struct Close {
        void operator()(sqlite3* db) const;
    };
    struct Prepared {
        std::unique_ptr<sqlite3_stmt, Finalize> statement;
        std::vector<std::size_t> parameters;  // SQLite's index -> index in Params: SQLite numbers by appearance
        std::size_t parameters_max = 0;
        bool changes_rows = false;
        std::uint64_t used = 0;  // for eviction
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };

    void configure();
    Rows write_ahead_log();
    Prepared& prepared(std::string_view sql);
    Prepared prepare(std::string_view sql);
    void evict_one();
    void bind(const Prepared& prepared, const Params& params);
    struct Copied {
        bool whole = false;
        int frames = -1;  // of the log so far; -1: unknown, because another process copies
    };
    Copied checkpoint(int mode);
    [[noreturn]] void fail(int code, std::string_view context = {}) const;
    static int on_busy(void* self, int attempt);
    static int on_progress(void* wanted);
    static int on_commit(void* self, sqlite3*, const char*, int frames);

    ConnectionOptions options_;
    std::chrono::milliseconds busy_timeout_;
    std::chrono::steady_clock::time_point busy_since_;
    bool refuses_writes_ = false;
    const volatile std::uint32_t* log_index_ = nullptr;  // SQLite maps it for the connection's lifetime
    int wal_frames_ = 0;
    int copied_frames_ = -1;  // when empty_log() gave up; a reader from before the next frame was in the way
    std::uint64_t uses_ = 0;
    std::unique_ptr<sqlite3, Close> db_;
    // Declared after db_: statements must be finalized before the connection closes.
    std::unordered_map<std::string, Prepared, TextHash, std::equal_to<>> statements_;
};

}  // namespace consentry::storage::sqlite
