// Limits that several instances share.
#include <gtest/gtest.h>

#include "tests/instances/fleet.hpp"

namespace consentry::tests {
namespace {

TEST(LIM_1, OfAHundredRequestsToTwoInstancesTenPass) {
    // The window slides and is longer than any test, so no request leaves it.
    SharedFleet fleet(2, {{"THROTTLE_LIMIT", "10"}, {"THROTTLE_TTL_IN_MS", "3600000"}});
    auto seen = statuses(at_once(100, [&](std::size_t i) { return fleet->client(i).get("/api/hello"); }));
    EXPECT_EQ(seen[200], 10U);
    EXPECT_EQ(seen[429], 90U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(fleet->client(i).get("/api/hello").status, 429U);
        EXPECT_EQ(fleet->client(i).get("/api/health/live").status, 200U) << "each operation has a count of its own";
    }
}

}  // namespace
}  // namespace consentry::tests
