// Would the service start with these settings?
#pragma once

#include <vector>

#include "app/config/config.hpp"
#include "base/clock.hpp"

namespace consentry {

struct StartCheck {
    std::vector<ConfigProblem> problems;  // what a start would fail at, under the setting that is to blame
    std::vector<ConfigProblem> warnings;  // what it would go without
};

// Looks at everything that a start uses and changes nothing, anywhere: no folder, file, table, key, row or mail is
// made. So it cannot tell what only a write would: a full disk, the right to write into a bucket. `running`: the
// service is listening already, so its address is left out.
StartCheck check_start(const Config& config, const Clock& clock, bool running);

}  // namespace consentry
