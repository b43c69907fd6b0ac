// Checks whether the service would start with the given settings.
#pragma once

#include <vector>

#include "app/config/config.hpp"
#include "base/clock.hpp"

namespace consentry {

struct StartCheck {
    std::vector<ConfigProblem> problems;  // what would make the start fail, under the responsible setting
    std::vector<ConfigProblem> warnings;  // what the service would start without
    // Whether a start would end as with wrong settings: one of the problems does not pass by itself, unlike that of a
    // server without a free connection.
    bool lasts = false;
};

// Checks everything that a start uses, without modifying anything: it creates no folder, file, table, key, row or mail,
// except in a temporary folder that it removes. It therefore cannot detect problems that only a write reveals, such as
// a full disk or a missing permission to write to a bucket. If a service may run, its address is not checked: it is
// already listening, or a service manager is. If one does run, the keys that it has made must be there.
enum class ServiceRuns { no, maybe, yes };
StartCheck check_start(const Config& config, const Clock& clock, ServiceRuns runs);

}  // namespace consentry
