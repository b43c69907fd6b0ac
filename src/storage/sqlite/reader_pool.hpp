// Connections for reading, one for each thread that reads.
//
// The pool owns the connections, so that they are closed with it and not when their threads end; a thread that
// ends gives its connection back, and the next new thread takes it over.
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

    // The calling thread's own; opened at its first call. Throws SqliteError where that fails.
    Reader& of_this_thread();

private:
    struct ThreadSlots;

    explicit ReaderPool(ConnectionOptions options);
    Reader& lend();
    void give_back(Reader& reader);

    const std::uint64_t id_;  // unlike the address, never used again by a later pool
    const ConnectionOptions options_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Reader>> all_;
    std::vector<Reader*> idle_;
};

}  // namespace consentry::storage::sqlite
