// The embedded engine of the database port: one SQLite file with a write-ahead log (WAL), synced at every commit.
//
// Reads run at once on the calling thread, on that thread's connection; searches run on a dedicated thread. A single
// thread of this object performs all writes and commits the waiting ones together; see writer.hpp. Other processes may
// read and write the same file. SQLite returns booleans as 0 and 1 and UUIDs as text; Row reads both.
//
// The executors of waiting callers must outlive this object. The destructor completes the writes it has accepted.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "storage/database.hpp"
#include "storage/migrations.hpp"
#include "storage/searches.hpp"

namespace consentry::storage {

namespace sqlite {
class ReaderPool;
class Writer;
}  // namespace sqlite

struct SqliteOptions {
    std::filesystem::path file = {};
    std::chrono::milliseconds busy_timeout{5000};     // longest wait for another process's lock on the file
    std::size_t writer_queue_max = 4096;              // beyond it, writes throw Unavailable
    std::chrono::milliseconds reopen_interval{1000};  // between attempts to write after the disk failed
    int reader_cache_kib = 1024;                      // page cache limit of each reading thread
    int writer_cache_kib = 2048;
    std::string vfs = {};  // SQLite's name of another VFS; tests use it to inject faults
};

class SqliteDatabase final : public Database {
public:
    // Creates the file (0600) and its folder (0700) if they are missing. Throws std::runtime_error that names the file
    // if it cannot be a database: it is a folder, not writable, another kind of file, or visibly damaged.
    explicit SqliteDatabase(SqliteOptions options);
    ~SqliteDatabase() override;

    awaitable<void> ping() override;
    void migrate(const std::vector<Migration>& migrations) override;
    bool upgrade_is_due(const std::vector<Migration>& migrations) override;

protected:
    awaitable<Outcome> apply(Transaction transaction) override;
    awaitable<Rows> read(std::string_view sql, Params params) override;
    awaitable<Rows> read_shared(std::string_view sql) override;
    awaitable<Rows> search(std::string_view sql, Params params) override;
    awaitable<Rows> write(Statement statement) override;

private:
    const SqliteOptions options_;
    std::unique_ptr<sqlite::Writer> writer_;
    std::shared_ptr<sqlite::ReaderPool> readers_;
    Searches searches_;
};

}  // namespace consentry::storage
