// Writes numbered pairs into the database named on the command line until it is killed. It prints a number only after
// the database has acknowledged its pair. sqlite_crash_test.cpp runs it.
#include <string>

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "storage/sqlite/sqlite_database.hpp"

namespace {

using namespace consentry;
using storage::Expect;

const std::vector<storage::Migration>& schema() {
    static const std::vector<storage::Migration> out{
        {1,
         "0001_pairs.sql",
         {"CREATE TABLE a (id BIGINT PRIMARY KEY, fill TEXT);", "CREATE TABLE b (id BIGINT PRIMARY KEY);"}}};
    return out;
}

boost::asio::awaitable<void> write_pairs(storage::Database& database, std::int64_t first, std::int64_t step) {
    for (std::int64_t id = first;; id += step) {
        storage::Transaction tx;
        tx.add(Expect::one, "INSERT INTO a (id, fill) VALUES ($1, $2)", id, std::string(500, 'x'));
        tx.add(Expect::one, "INSERT INTO b (id) VALUES ($1)", id);
        const storage::Outcome outcome = co_await database.commit(std::move(tx));
        const std::string line = std::to_string(id) + "\n";
        // A single write below the pipe's atomic size, so that the reader never sees half a number.
        if (!outcome.committed || ::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(3);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    constexpr int writers = 8;
    storage::SqliteDatabase database({.file = argv[1]});
    database.migrate(schema());
    boost::asio::io_context context{1};
    const std::int64_t base = std::stoll(argv[2]);
    for (int i = 0; i < writers; ++i)
        boost::asio::co_spawn(context, write_pairs(database, base + i, writers), boost::asio::detached);
    context.run();
    return 0;
}
