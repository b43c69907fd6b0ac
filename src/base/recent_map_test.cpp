#include "base/recent_map.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(RecentMap, KeepsWhatIsUsedAndNoMoreThanItsBound) {
    RecentMap<int, int> map(100);
    map.put(-1, 7);
    for (int i = 0; i < 10'000; ++i) {
        map.put(i, i);
        ASSERT_EQ(map.find(-1), 7) << "in use, hence never the oldest";
    }
    int kept = 0;
    for (int i = 0; i < 10'000; ++i) kept += map.find(i).has_value() ? 1 : 0;
    EXPECT_GT(kept, 0);
    EXPECT_LE(kept, 116) << "the bound, rounded up by part";
}

TEST(RecentMap, TheLastValueCountsAndWhatIsErasedIsGone) {
    RecentMap<int, int> map(10);
    map.put(1, 1);
    map.put(1, 2);
    EXPECT_EQ(map.find(1), 2);
    map.erase(1);
    map.erase(1);
    EXPECT_EQ(map.find(1), std::nullopt);
}

}  // namespace
}  // namespace consentry
