// The files of a store that has no server of its own: what its addresses lead to.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "storage/object_store.hpp"

namespace consentry {

using storage::awaitable;

class Files {
public:
    Files(storage::ObjectStore& store, const storage::OwnAddresses& addresses) : store_(store), addresses_(addresses) {}

    // What an address to a private file was asked with. `key` and `query` as sent, byte for byte: nothing is decoded,
    // so that no spelling of a name leads anywhere but where it was signed for (DOC-1).
    struct Visit {
        std::string key;
        std::string query;
        TimePoint now;
    };
    // Errors: 403 no address of ours, expired, or to be used otherwise: whether the file is there is not told (DOC-2).
    awaitable<Result<void>> put(Visit visit, std::string mime, std::string bytes);
    // As above; 404 none is there.
    awaitable<Result<std::string>> get(Visit visit);
    // 404: none is there, or can be.
    awaitable<Result<std::string>> get_public(std::string key);

private:
    awaitable<Result<std::string>> read(storage::Area area, std::string key);

    storage::ObjectStore& store_;
    const storage::OwnAddresses& addresses_;
};

}  // namespace consentry
