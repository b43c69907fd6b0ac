// GET /metrics, for the networks that the operator allows. All others get 404.
#pragma once

#include "base/worker_pool.hpp"
#include "features/system/metrics.hpp"
#include "http/endpoint.hpp"
#include "http/steps/networks.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"

namespace consentry {

class MetricsPage {
public:
    // All arguments must outlive this. Registers in `metrics` whether database and cache answer. Renders the page in
    // `writers`, because with many operations that takes milliseconds.
    MetricsPage(Metrics& metrics, storage::Database& database, storage::Cache& cache, WorkerPool& writers,
                http::Networks allowed);

    bool is_open_to(const http::RequestContext& context) const;
    storage::awaitable<Result<http::Raw>> page();

private:
    struct Reachable {
        std::atomic<bool> up{false};
        std::atomic<double> seconds{0};  // of the last attempt
        void tried(bool answered, std::chrono::duration<double> took) {
            up.store(answered);
            seconds.store(took.count());
        }
    };

    Metrics& metrics_;
    storage::Database& database_;
    storage::Cache& cache_;
    WorkerPool& writers_;
    const http::Networks allowed_;
    Reachable database_reachable_;
    Reachable cache_reachable_;
};

void add_metrics_endpoint(http::Router& router, MetricsPage& page);

}  // namespace consentry
