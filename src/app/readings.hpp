// What the metrics read at each scrape: the process, the pools, what was lost on its way to a log.
#pragma once

#include "app/services.hpp"
#include "features/system/metrics.hpp"

namespace consentry {

// The names and meanings that all Prometheus clients have in common, from /proc.
void watch_process(Metrics& metrics, const Clock& clock);

// `services` outlives the last scrape.
void watch_services(Metrics& metrics, Services& services);

}  // namespace consentry
