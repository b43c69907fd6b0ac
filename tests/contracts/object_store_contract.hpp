// The object store port's promises are tested on every engine in object_store_engines(). A new engine adds its entry to
// object_store_engines.cpp and nothing else.
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

// One empty store, gone with this object.
class ObjectStorePlace {
public:
    virtual ~ObjectStorePlace() = default;
    // Each is what another process would hold.
    virtual std::unique_ptr<storage::ObjectStore> open() = 0;
    // Of whoever answers at the store's addresses.
    virtual TimePoint now() const { return SystemClock().now(); }
    // As somebody asks who has nothing but the address.
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
