#include "features/activity/activity.hpp"

namespace consentry {

awaitable<ListSlice<ActivityEntry>> Activity::list(UserId user, ListQuery query) {
    return repository_.list(user, std::move(query));
}

awaitable<void> Activity::forget_old() {
    if (settings_.retention == std::chrono::days{0}) co_return;
    const TimePoint before = clock_.now() - settings_.retention;
    co_await repository_.erase_older(before);
    co_await acts_.erase_older(before, settings_.acts_are_logged);
}

}  // namespace consentry
