// Serves the files of an object store that has no server of its own.
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

    // A request for a private file. `key` and `query` are the bytes as sent: nothing is decoded, so that no other
    // spelling of a name matches the signature (DOC-1).
    struct Visit {
        std::string key;
        std::string query;
        TimePoint now;
    };
    // Error: 403 if the address was not signed here, has expired or was signed for another use. The answer does not
    // reveal whether the file exists (DOC-2).
    awaitable<Result<void>> put(Visit visit, std::string mime, std::string bytes);
    // Errors: those of put(); 404 if there is no such file.
    awaitable<Result<std::string>> get(Visit visit);
    // Error: 404 if there is no such file or the key is invalid.
    awaitable<Result<std::string>> get_public(std::string key);

private:
    awaitable<Result<std::string>> read(storage::Area area, std::string key);

    storage::ObjectStore& store_;
    const storage::OwnAddresses& addresses_;
};

}  // namespace consentry
