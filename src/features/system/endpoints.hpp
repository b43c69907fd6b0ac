#pragma once

#include <atomic>
#include <string>

#include "base/clock.hpp"
#include "features/system/documentation.hpp"
#include "features/system/dto.hpp"
#include "features/system/health_dto.hpp"
#include "http/router.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"

namespace consentry {

// What hello tells, but for the date.
struct HelloFacts {
    HelloApp app;
    HelloAuth auth;
    HelloMessage message;
    HelloRequest request;
};

class System {
public:
    System(storage::Database& database, storage::Cache& cache, const Clock& clock, HelloFacts facts)
        : database_(database), cache_(cache), clock_(clock), facts_(std::move(facts)) {}

    HelloResponse hello() const;
    // Whether the service can do its work. Throws Unavailable where the database does not answer.
    storage::awaitable<Result<HealthReport<ServiceChecks>>> ready();

    // The service is about to stop: not ready any more, so that a load balancer looks elsewhere. Thread-safe.
    void stopping() { stopping_.store(true); }
    // The OpenAPI document, once the router is finished.
    void set_document(std::string one_path_each, std::string with_aliases) {
        documentation_.set_document(std::move(one_path_each), std::move(with_aliases));
    }
    const std::string& document() const { return documentation_.document(); }
    Documentation& documentation() { return documentation_; }

private:
    storage::Database& database_;
    storage::Cache& cache_;
    const Clock& clock_;
    HelloFacts facts_;
    std::atomic<bool> stopping_{false};
    Documentation documentation_;
};

// hello, health, the icon, and with `documentation` all of /docs.
void add_system_endpoints(http::Router& router, System& system, bool documentation);

}  // namespace consentry
