// The activity log: what happened to each account, written with the change itself or not at all.
//
//     Activity::add(transaction, {.user = user, .action = ActivityAction::user_change_password,
//                                 .ip_address = ..., .user_agent = ...}, clock.now());
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "features/activity/repository.hpp"

namespace consentry {

struct ActivitySettings {
    std::chrono::days retention{};  // zero: for ever
};

class Activity {
public:
    Activity(storage::Database& database, const Clock& clock, ActivitySettings settings)
        : repository_(database), clock_(clock), settings_(settings) {}

    // Puts the entry into the transaction of what it tells of: both are there, or none. Throws std::logic_error for
    // metadata that are not small.
    static void add(storage::Transaction& transaction, const NewActivity& activity, TimePoint now);

    awaitable<ListSlice<ActivityEntry>> list(UserId user, ListQuery query);
    // Deletes what is older than the retention.
    awaitable<void> forget_old();

private:
    ActivityRepository repository_;
    const Clock& clock_;
    const ActivitySettings settings_;
};

}  // namespace consentry
