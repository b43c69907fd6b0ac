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

// The content of the hello response, except the date.
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
    // Checks whether the service can work. Throws Unavailable if the database does not answer.
    storage::awaitable<Result<HealthReport<ServiceChecks>>> ready();

    // Marks the service as not ready before it stops, so that load balancers stop sending requests. Thread-safe.
    void stopping() { stopping_.store(true); }
    Documentation& documentation() { return documentation_; }
    const Documentation& documentation() const { return documentation_; }

private:
    storage::Database& database_;
    storage::Cache& cache_;
    const Clock& clock_;
    HelloFacts facts_;
    std::atomic<bool> stopping_{false};
    Documentation documentation_;
};

// Adds hello, health and the icon, and with `documentation` everything under /docs.
void add_system_endpoints(http::Router& router, System& system, bool documentation);

}  // namespace consentry
