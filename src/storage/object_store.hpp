// The object store port: files by key, in a private and a public area.
//
// A key such as "a/b/c.hbs" consists of segments of letters, digits, '.', '_' and '-', joined by '/', and has at most
// 512 bytes. A segment has at most 252 and is neither "." nor "..". No key ends with ".gz". Engines throw
// std::logic_error for any other key, because callers build keys from validated parts (DOC-1). An outage throws
// consentry::Unavailable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"

namespace consentry::storage {

using boost::asio::awaitable;

// Private objects are readable only by the service and through presigned addresses; public objects by anyone.
enum class Area { private_area, public_area };

struct ObjectFacts {
    std::uint64_t size = 0;  // bytes; if put_compressed() stored the object, of what is stored
    std::string mime;        // empty: unknown
};

// An object, truncated to the number of bytes requested.
struct Object {
    std::string bytes;
    // Of the whole object. If it is truncated, a greater number than bytes.size(), which is exact only if put() stored
    // the object.
    std::uint64_t size = 0;
};

// Ends the names of compressed files in a folder, as web servers expect it. No key ends with it.
inline constexpr std::string_view packed_ending = ".gz";

bool is_object_key(std::string_view key);

// Verifies the presigned addresses that this service itself serves. `query` is the address's query, exactly as sent.
class OwnAddresses {
public:
    virtual ~OwnAddresses() = default;
    virtual bool admits_get(std::string_view key, std::string_view query, TimePoint now) const = 0;
    virtual bool admits_put(std::string_view key, std::string_view mime, std::uint64_t size, std::string_view query,
                            TimePoint now) const = 0;
};

class ObjectStore {
public:
    virtual ~ObjectStore() = default;

    // Both return nullopt if the object does not exist. get() also does if put_compressed() stored it and the stored
    // bytes are damaged.
    virtual awaitable<std::optional<ObjectFacts>> head(Area area, std::string key) = 0;
    virtual awaitable<std::optional<Object>> get(Area area, std::string key, std::size_t bytes_max) = 0;
    // Atomic: readers see either the previous object or the complete new one. Durable on return. If it throws, the
    // write may have taken effect, or may still take effect within longest_call().
    virtual awaitable<void> put(Area area, std::string key, std::string bytes, std::string mime) = 0;
    // As put(), but stores the object compressed with gzip. get() and the public address return what was put, the
    // latter with "Content-Encoding: gzip" if a server of the engine answers. Never put one key both ways at the same
    // time.
    virtual awaitable<void> put_compressed(Area area, std::string key, std::string bytes, std::string mime) = 0;
    virtual awaitable<void> erase(Area area, std::string key) = 0;  // idempotent; on a throw, as put()

    // The longest time a call can take, retries included.
    virtual milliseconds longest_call() const = 0;

    // Addresses that let their bearer read or write one private object until `until` (whole seconds). A write address
    // accepts exactly `size` bytes of the given type.
    virtual std::string address_to_get(const std::string& key, TimePoint now, TimePoint until) const = 0;
    virtual std::string address_to_put(const std::string& key, const std::string& mime, std::uint64_t size,
                                       TimePoint now, TimePoint until) const = 0;
    // The address at which anyone can read a public object.
    virtual std::string public_address(const std::string& key) const = 0;
    // Null if a server of the engine answers at its addresses. Otherwise this service does, at /files/private/KEY and
    // /files/public/KEY.
    virtual const OwnAddresses* own_addresses() const { return nullptr; }
    // The name of the area, which clients see as "bucket".
    virtual std::string area_name(Area area) const = 0;

    // Blocks; call it before serving. Throws std::runtime_error that names the problem: an area which is not writable,
    // a private area which strangers can read, or a public area which they cannot.
    virtual void check() = 0;
    // Throws Unavailable if the area does not answer.
    virtual awaitable<void> ping(Area area) = 0;
};

}  // namespace consentry::storage
