#include "base/time_zone.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

std::string day_around(const char* zone, const char* time) {
    const TimeZone found = TimeZone::find(zone).value();
    const TimePoint point = from_iso8601(time).value();
    return to_iso8601(found.day_begin(point)) + " " + to_iso8601(found.day_end(point));
}

TEST(TimeZone, KnowsTheZonesOfTheSystem) {
    EXPECT_TRUE(TimeZone::find("UTC"));
    EXPECT_TRUE(TimeZone::find("Europe/Berlin"));
    EXPECT_FALSE(TimeZone::find("Mars/Olympus"));
    EXPECT_FALSE(TimeZone::find(""));
}

TEST(TimeZone, ADayIsThatOfThePlace) {
    EXPECT_EQ(day_around("UTC", "2026-03-01T09:30:00.250Z"), "2026-03-01T00:00:00.000Z 2026-03-01T23:59:59.999Z");
    EXPECT_EQ(day_around("Asia/Tokyo", "2026-03-01T15:00:00Z"), "2026-03-01T15:00:00.000Z 2026-03-02T14:59:59.999Z");
    EXPECT_EQ(day_around("Asia/Tokyo", "2026-03-01T14:59:59.999Z"),
              "2026-02-28T15:00:00.000Z 2026-03-01T14:59:59.999Z");
    EXPECT_EQ(day_around("UTC", "1969-12-31T12:00:00Z"), "1969-12-31T00:00:00.000Z 1969-12-31T23:59:59.999Z");
}

TEST(TimeZone, DaysOnWhichClocksAreChangedAreLongerOrShorter) {
    EXPECT_EQ(day_around("Europe/Berlin", "2026-03-29T12:00:00Z"), "2026-03-28T23:00:00.000Z 2026-03-29T21:59:59.999Z");
    EXPECT_EQ(day_around("Europe/Berlin", "2026-10-25T12:00:00Z"), "2026-10-24T22:00:00.000Z 2026-10-25T22:59:59.999Z");
    // The clocks went from midnight to one o'clock, so this day has no midnight.
    EXPECT_EQ(day_around("America/Sao_Paulo", "2018-11-04T12:00:00Z"),
              "2018-11-04T03:00:00.000Z 2018-11-05T01:59:59.999Z");
}

}  // namespace
}  // namespace consentry
