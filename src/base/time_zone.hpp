// Day boundaries in a time zone, for display and reports; all other code uses UTC.
#pragma once

#include <optional>
#include <string>

#include <cctz/time_zone.h>

#include "base/clock.hpp"

namespace consentry {

class TimeZone {
public:
    TimeZone() = default;  // UTC
    // Accepts UTC or a name in the system's time zone database; returns nullopt for an unknown name.
    static std::optional<TimeZone> find(const std::string& name);

    // Return the first and the last millisecond of the day that contains `time`. On daylight-saving changes a day has
    // 23 or 25 hours, and it need not begin at midnight.
    TimePoint day_begin(TimePoint time) const;
    TimePoint day_end(TimePoint time) const;

private:
    cctz::time_zone zone_ = cctz::utc_time_zone();
};

}  // namespace consentry
