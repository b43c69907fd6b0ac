// One thread's way to read: a connection, and the answers it gave while the database has not changed since.
//
// A look-up by one key, or a read that is the same for everybody, is answered from memory as long as nothing at all was
// committed, by any process, since it was read. That is the answer the database would give, for it would read the same
// pages; what is saved is asking. Whether something was committed stands in the log's shared index, which every commit
// changes before it is done.
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
    // The same of a statement without parameters whose answer is small and asked for again and again.
    Rows read_shared(std::string_view sql);
    Connection& connection() { return connection_; }

private:
    static constexpr std::size_t entries_max = 2'048;  // of each half; about 1 kB an entry

    struct Entry {
        std::uint64_t version;  // of the database, as counted here
        Rows rows;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    Rows read_remembered(std::string_view sql, const Params& params);
    Entry* find();

    Connection connection_;
    std::uint64_t version_ = 0;
    Connection::LogState seen_;
    // Two halves: what the younger one has no room for any more is forgotten together, unless it was used since.
    Entries young_;
    Entries old_;
    std::string key_;  // of the look-up at work; kept for its memory
};

}  // namespace consentry::storage::sqlite
