// What the metrics read at each scrape: the process, the pools, the budgets of the listening side.
#pragma once

#include <functional>

#include "app/services.hpp"
#include "features/system/metrics.hpp"
#include "http/server.hpp"

namespace consentry {

// The names and meanings that all Prometheus clients have in common, from /proc.
void watch_process(Metrics& metrics, const Clock& clock);

// `services` outlives the last scrape.
void watch_services(Metrics& metrics, Services& services);

// What the networks of the clients share. `server` is asked at each scrape: it is made later.
void watch_budgets(Metrics& metrics, std::function<const http::Server&()> server);

}  // namespace consentry
