// The tests of the object store port run on every engine in object_store_engines(). A new engine needs only an entry in
// object_store_engines.cpp.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "net/http_client.hpp"
#include "storage/object_store.hpp"

namespace consentry::tests {

// An empty store that is deleted with this object.
class ObjectStorePlace {
public:
    virtual ~ObjectStorePlace() = default;
    // Returns what a separate process would use.
    virtual std::unique_ptr<storage::ObjectStore> open() = 0;
    // The time at the server that answers at the store's addresses.
    virtual TimePoint now() const { return SystemClock().now(); }
    // Sends a request as a client that knows nothing but the address.
    virtual net::HttpResponse fetch(const net::HttpRequest& request) const {
        return net::HttpClient({.plain_http = true}).fetch(request);
    }
};

struct ObjectStoreEngine {
    std::string name;
    std::function<std::unique_ptr<ObjectStorePlace>()> make;
};

const std::vector<ObjectStoreEngine>& object_store_engines();

inline void PrintTo(const ObjectStoreEngine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace consentry::tests
