// The object store port: files by key, in a private and a public area.
//
// A key is "a/b/c.hbs": segments of letters, digits, '.', '_' and '-', none of them "." or "..", joined by '/'; at most
// 512 bytes. Engines throw std::logic_error for any other: whoever makes keys makes them of checked parts (DOC-1).
// An outage is thrown as consentry::Unavailable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"

namespace consentry::storage {

using boost::asio::awaitable;

// Private objects are read by the service and by presigned address only; public ones by anybody.
enum class Area { private_area, public_area };

struct ObjectFacts {
    std::uint64_t size = 0;  // bytes
    std::string mime;        // empty: not known
};

// An object and at most so much of it as was asked for.
struct Object {
    std::string bytes;
    std::uint64_t size = 0;  // of the whole object; more than bytes.size() where it is too large
};

bool is_object_key(std::string_view key);

// What an address that leads to this service itself lets whoever has it do. `query` is that of the address, as sent.
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

    // nullopt: there is none.
    virtual awaitable<std::optional<ObjectFacts>> head(Area area, std::string key) = 0;
    virtual awaitable<std::optional<Object>> get(Area area, std::string key, std::size_t bytes_max) = 0;
    // Atomic: a reader sees the former object or the whole new one; durable on return. Where it throws, it may have
    // taken effect, or still may within longest_call().
    virtual awaitable<void> put(Area area, std::string key, std::string bytes, std::string mime) = 0;
    virtual awaitable<void> erase(Area area, std::string key) = 0;  // absent is fine; where it throws, as above

    // How long a call may take at most, retries included.
    virtual milliseconds longest_call() const = 0;

    // Addresses that let whoever has them read or write one private object until `until` (whole seconds). The one for
    // writing takes exactly `size` bytes of this type.
    virtual std::string address_to_get(const std::string& key, TimePoint now, TimePoint until) const = 0;
    virtual std::string address_to_put(const std::string& key, const std::string& mime, std::uint64_t size,
                                       TimePoint now, TimePoint until) const = 0;
    // Where everybody reads a public object.
    virtual std::string public_address(const std::string& key) const = 0;
    // Null where a server of the engine's own answers at its addresses. Else this service does, at
    // /files/private/KEY and /files/public/KEY.
    virtual const OwnAddresses* own_addresses() const { return nullptr; }
    // What the private area is called; clients see it as "bucket".
    virtual std::string area_name(Area area) const = 0;

    // Blocks; before serving. Throws std::runtime_error naming what is unfit: an area that cannot be written, a private
    // one that strangers can read, a public one that they cannot.
    virtual void check() = 0;
    // Throws Unavailable where it does not answer.
    virtual awaitable<void> ping(Area area) = 0;
};

}  // namespace consentry::storage
