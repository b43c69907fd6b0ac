#include "tlog/growing_tree.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"

namespace consentry::tlog {
namespace {

using tests::naive_root;
using tests::new_hash_tiles;
using tests::some_leaves;

TEST(GrowingTree, BeginsEmpty) {
    GrowingTree tree;
    EXPECT_EQ(tree.size(), 0U);
    EXPECT_EQ(tree.edge(), Bytes{});
    EXPECT_EQ(tree.root(), empty_root());
    EXPECT_TRUE(tree.append({}).empty());
    EXPECT_EQ(tree.size(), 0U);
}

// In steps of every kind, stored and restored in between: the same roots as the definition, the same tiles as at once.
TEST(GrowingTree, IsTheDefinitionsTreeAfterEachStep) {
    const auto leaves = some_leaves(66'100);
    std::mt19937_64 random{6962};
    GrowingTree tree;
    std::size_t size = 0;
    while (size < leaves.size()) {
        const std::size_t most = size < 1'000 ? 3 : 9'000;
        const std::size_t step = std::min<std::size_t>(1 + random() % most, leaves.size() - size);
        const auto ids = new_hash_tiles(size, size + step);
        const auto tiles = tree.append(std::span(leaves).subspan(size, step));
        size += step;
        ASSERT_EQ(tree.size(), size);
        ASSERT_EQ(tree.root(), naive_root(std::span(leaves).first(size))) << size;
        ASSERT_EQ(tiles.size(), ids.size()) << size;
        for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(tiles[i].id, ids[i]);
        auto restored = GrowingTree::restore(size, tree.edge());
        ASSERT_TRUE(restored) << restored.error();
        ASSERT_EQ(restored->root(), tree.root());
        tree = std::move(*restored);
    }
    EXPECT_EQ(tree.edge().size(), (66'100 % 256 + 66'100 / 256 % 256 + 66'100 / 65'536) * 32U);
}

TEST(GrowingTree, RefusesAnEdgeOfAnotherSize) {
    GrowingTree tree;
    tree.append(some_leaves(300));
    const Bytes edge = tree.edge();
    EXPECT_TRUE(GrowingTree::restore(300, edge));
    for (const std::uint64_t size : {0U, 44U, 299U, 301U, 556U}) EXPECT_FALSE(GrowingTree::restore(size, edge)) << size;
    EXPECT_FALSE(GrowingTree::restore(300, BytesView(edge).first(edge.size() - 1)));
}

}  // namespace
}  // namespace consentry::tlog
