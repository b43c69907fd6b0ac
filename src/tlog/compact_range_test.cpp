#include "tlog/compact_range.hpp"

#include <bit>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"

namespace consentry::tlog {
namespace {

std::vector<Hash> copy_of(std::span<const Hash> hashes) { return {hashes.begin(), hashes.end()}; }

TEST(CompactRange, YieldsTheRootOfEachSize) {
    const auto leaves = tests::some_leaves(300);
    CompactRange range;
    for (std::size_t size = 0;; ++size) {
        EXPECT_EQ(range.size(), size);
        EXPECT_EQ(range.root(), tests::naive_root(std::span(leaves).first(size))) << size;
        EXPECT_EQ(range.hashes().size(), static_cast<std::size_t>(std::popcount(size)));
        if (size == leaves.size()) break;
        range.append(leaves[size]);
    }
}

TEST(CompactRange, GrowsOnFromItsStoredHashes) {
    const auto leaves = tests::some_leaves(40);
    for (std::size_t stop = 0; stop <= leaves.size(); ++stop) {
        CompactRange before;
        for (std::size_t i = 0; i < stop; ++i) before.append(leaves[i]);
        auto range = CompactRange::restore(stop, copy_of(before.hashes()));
        ASSERT_TRUE(range) << range.error();
        for (std::size_t i = stop; i < leaves.size(); ++i) range->append(leaves[i]);
        EXPECT_EQ(range->root(), tests::naive_root(leaves)) << stop;
    }
}

TEST(CompactRange, RefusesHashesThatDoNotFitTheSize) {
    const auto hashes = tests::some_leaves(3);
    EXPECT_TRUE(CompactRange::restore(7, hashes));
    EXPECT_TRUE(CompactRange::restore(0, {}));
    for (const std::uint64_t size : {0U, 1U, 3U, 8U, 15U})
        EXPECT_EQ(CompactRange::restore(size, hashes).error(), "the number of hashes does not fit the size of the tree")
            << size;
}

TEST(CompactRange, HoldsAtMost64HashesAndEndsAtTheLargestSize) {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    const Hash hash = leaf_hash({});
    auto range = CompactRange::restore(max - 1, std::vector<Hash>(63, hash));
    ASSERT_TRUE(range) << range.error();
    range->append(hash);
    EXPECT_EQ(range->size(), max);
    EXPECT_EQ(range->hashes().size(), 64U);
    EXPECT_THROW(range->append(hash), std::length_error);
}

}  // namespace
}  // namespace consentry::tlog
