// The reader of one thread: a connection, and a cache of its answers that is valid until the database changes.
//
// A look-up by one key, or a parameterless read, is answered from memory as long as no process has committed anything
// since it was read. The database would read the same pages and give the same answer, so only the query is saved. The
// shared index of the log shows whether there was a commit: every commit changes it before it completes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/sqlite/connection.hpp"

namespace consentry::storage::sqlite {

class Reader {
public:
    explicit Reader(const ConnectionOptions& options) : connection_(options) {}

    // Sees everything committed before the call. Throws SqliteError.
    Rows read(std::string_view sql, const Params& params);
    // The same for a statement without parameters whose answer is small and frequently requested.
    Rows read_shared(std::string_view sql);
    Connection& connection() { return connection_; }

private:
    static constexpr std::size_t entries_max = 2'048;  // of each half; about 1 kB per entry

    struct Entry {
        std::uint64_t version;  // of the database, counted by this reader
        Rows rows;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    Rows read_remembered(std::string_view sql, const Params& params);
    Entry* find();

    Connection connection_;
    std::uint64_t version_ = 0;
    Connection::LogState seen_;
    // Two generations: when the young one is full it becomes the old one, whose entries are dropped unless they were
    // used since.
    Entries young_;
    Entries old_;
    std::string key_;  // of the current look-up; reuses its memory
};

}  // namespace consentry::storage::sqlite
