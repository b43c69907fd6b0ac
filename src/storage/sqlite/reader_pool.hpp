// Read connections, one for each reading thread.
//
// The pool owns the connections, so they close with the pool and not when their threads end. A thread that ends returns
// its connection, and the next new thread reuses it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/sqlite/reader.hpp"

namespace consentry::storage::sqlite {

class ReaderPool : public std::enable_shared_from_this<ReaderPool> {
public:
    static std::shared_ptr<ReaderPool> make(ConnectionOptions options);

    // Returns the calling thread's reader, which its first call opens. Throws SqliteError if that fails.
    Reader& of_this_thread();

private:
    struct ThreadSlots;

    explicit ReaderPool(ConnectionOptions options);
    Reader& lend();
    void give_back(Reader& reader);

    const std::uint64_t id_;  // unlike the address, never reused by a later pool
    const ConnectionOptions options_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Reader>> all_;
    std::vector<Reader*> idle_;
};

}  // namespace consentry::storage::sqlite
