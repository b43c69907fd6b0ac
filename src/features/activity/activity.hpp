// The activity log: what happened to each account, written atomically with the change itself. To record a change, call
// Audit::add() (audit.hpp).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "features/activity/act_repository.hpp"
#include "features/activity/repository.hpp"

namespace consentry {

struct ActivitySettings {
    std::chrono::days retention{};  // zero: entries are kept forever
    bool acts_are_logged = false;   // the administration log is on
};

class Activity {
public:
    Activity(storage::Database& database, const Clock& clock, ActivitySettings settings)
        : repository_(database), acts_(database), clock_(clock), settings_(settings) {}

    awaitable<ListSlice<ActivityEntry>> list(UserId user, ListQuery query);
    // Deletes entries and the evidence of acts that are older than the retention.
    awaitable<void> forget_old();

private:
    ActivityRepository repository_;
    ActRepository acts_;
    const Clock& clock_;
    const ActivitySettings settings_;
};

}  // namespace consentry
