// Where days begin and end for people in one place; everywhere else the service reckons in UTC.
#pragma once

#include <optional>
#include <string>

#include <cctz/time_zone.h>

#include "base/clock.hpp"

namespace consentry {

class TimeZone {
public:
    TimeZone() = default;  // UTC
    // UTC, or a name of the system's time zone database; nullopt where it has none of this name.
    static std::optional<TimeZone> find(const std::string& name);

    // The first and the last millisecond of the day that `time` is in. Where clocks are changed, a day has 23 or 25
    // hours and need not begin at midnight.
    TimePoint day_begin(TimePoint time) const;
    TimePoint day_end(TimePoint time) const;

private:
    cctz::time_zone zone_ = cctz::utc_time_zone();
};

}  // namespace consentry
