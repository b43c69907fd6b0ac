// Reports the health of each part of a deployment, for monitors. Load balancers use System::ready() instead, since a
// mail server outage must not take an instance out of rotation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/worker_pool.hpp"
#include "features/system/health_dto.hpp"
#include "http/router.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"

namespace consentry {

struct HealthLimits {
    std::int64_t memory_bytes_max = 0;
    std::int64_t disk_percent_max = 0;
};

class Health {
public:
    // All members must outlive this. The functions are called on any thread and must not block.
    struct Parts {
        storage::Database& database;
        storage::Cache& cache;
        storage::ObjectStore& object_store;
        WorkerPool& workers;
        // Why the last attempt failed; empty if it did not.
        std::function<std::string()> mail_trouble;
        std::function<std::string()> error_report_trouble;
    };
    // `folder` selects the file system whose free space is checked.
    Health(Parts parts, HealthLimits limits, std::filesystem::path folder)
        : parts_(std::move(parts)), limits_(limits), folder_(std::move(folder)) {}

    // Each throws Unavailable, naming every unhealthy part, if a part is unhealthy.
    storage::awaitable<Result<HealthReport<DatabaseChecks>>> database();
    storage::awaitable<Result<HealthReport<AwsChecks>>> aws();
    storage::awaitable<Result<HealthReport<ThirdPartyChecks>>> third_party();
    storage::awaitable<Result<HealthReport<InstanceChecks>>> instance();

private:
    const Parts parts_;
    const HealthLimits limits_;
    const std::filesystem::path folder_;
};

void add_health_endpoints(http::Router& router, Health& health);

}  // namespace consentry
