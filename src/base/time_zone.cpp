#include "base/time_zone.hpp"

#include <cctz/civil_time.h>

namespace consentry {
namespace {

cctz::civil_day day_of(TimePoint time, const cctz::time_zone& zone) {
    return cctz::civil_day(cctz::convert(time, zone));
}

}  // namespace

std::optional<TimeZone> TimeZone::find(const std::string& name) {
    TimeZone out;
    if (!cctz::load_time_zone(name, &out.zone_)) return std::nullopt;
    return out;
}

// For a midnight that does not exist CCTZ returns the moment of the clock change, and for one that occurs twice the
// first.
TimePoint TimeZone::day_begin(TimePoint time) const { return cctz::convert(day_of(time, zone_), zone_); }

TimePoint TimeZone::day_end(TimePoint time) const {
    return cctz::convert(day_of(time, zone_) + 1, zone_) - milliseconds{1};
}

}  // namespace consentry
