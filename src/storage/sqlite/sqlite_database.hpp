// The embedded engine of the database port: one SQLite file, written ahead (WAL) and synced at every commit.
//
// Reads run at once on the calling thread, on a connection of that thread; searches on a thread of their own. Writes go
// to one thread of this object, which commits what waits together; see writer.hpp. Other processes may read and write
// the same file. Booleans come back as 0 and 1, UUIDs as text; Row reads both.
//
// The executors of waiting callers must outlive this object; its destructor finishes the writes it accepted.
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
    std::chrono::milliseconds busy_timeout{5000};     // how long another process may hold the file
    std::size_t writer_queue_max = 4096;              // beyond it, writes are refused with Unavailable
    std::chrono::milliseconds reopen_interval{1000};  // between attempts to write again after the disk failed
    int reader_cache_kib = 1024;                      // pages in memory of each reading thread, at most
    int writer_cache_kib = 2048;
    std::string vfs = {};  // SQLite's name of another file layer; tests inject faults with it
};

class SqliteDatabase final : public Database {
public:
    // Makes the file (0600) and its folder (0700) where they are missing. Throws std::runtime_error naming the file
    // where it cannot be a database: a folder, not writable, something else, visibly damaged.
    explicit SqliteDatabase(SqliteOptions options);
    ~SqliteDatabase() override;

    awaitable<void> ping() override;
    void migrate(const std::vector<Migration>& migrations) override;

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
