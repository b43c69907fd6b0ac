// How the parts of a deployment do, one by one, for monitors. A load balancer asks System::ready() instead: it is not
// to take an instance away for a mail server's sake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

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
    // All outlive it. The functions are called on any thread and return at once.
    struct Parts {
        storage::Database& database;
        storage::Cache& cache;
        storage::ObjectStore& object_store;
        WorkerPool& workers;
        std::function<bool()> mails_leave;
        std::function<bool()> error_reports_arrive;
    };
    // `folder`: on the file system whose space counts.
    Health(Parts parts, HealthLimits limits, std::filesystem::path folder)
        : parts_(std::move(parts)), limits_(limits), folder_(std::move(folder)) {}

    // Each throws Unavailable where one of its parts is not well, naming all that are not.
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
