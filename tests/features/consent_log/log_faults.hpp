// What the comparison of a log with its database finds.
#pragma once

#include <string>
#include <utility>

#include "app/services.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/published_logs/comparison.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {

// One sentence a line; empty if everything agrees.
inline std::string log_faults(Services& services, LogPlace place = consent_log_place()) {
    std::string out;
    const auto findings = run(compare_log(services.database, services.object_store, std::move(place), {}, {}, {}));
    for (const LogFinding& one : findings.found) out += one.text + "\n";
    return out;
}

}  // namespace consentry::tests
