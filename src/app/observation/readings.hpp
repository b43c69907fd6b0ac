// Values that the metrics read at each scrape: the process, the pools, the budgets of the server.
#pragma once

#include <functional>

#include "app/services.hpp"
#include "features/system/metrics.hpp"
#include "http/server.hpp"

namespace consentry {

// The standard process metrics of Prometheus clients, read from /proc.
void watch_process(Metrics& metrics, const Clock& clock);

// `services` must outlive the last scrape.
void watch_services(Metrics& metrics, Services& services);

// Budgets that the clients' networks share. `server` is called at each scrape, because it is created later.
void watch_budgets(Metrics& metrics, std::function<const http::Server&()> server);

}  // namespace consentry
