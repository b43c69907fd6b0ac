// The object store port: files of term policies, by key. Engines come with the term policies.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/bytes.hpp"

namespace consentry::storage {

using boost::asio::awaitable;

// Private objects are read through the service or by presigned address only; public ones by anybody.
enum class Area { private_area, public_area };

class ObjectStore {
public:
    virtual ~ObjectStore() = default;

    virtual awaitable<std::optional<std::string>> get(Area area, std::string key) = 0;
    // Atomic: a reader sees the former object or the whole new one; durable on return.
    virtual awaitable<void> put(Area area, std::string key, std::string bytes, std::string mime) = 0;
    virtual awaitable<void> erase(Area area, std::string key) = 0;  // absent is fine
    virtual awaitable<void> ping() = 0;
};

}  // namespace consentry::storage
