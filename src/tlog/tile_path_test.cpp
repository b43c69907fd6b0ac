#include "tlog/tile_path.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"

namespace consentry::tlog {
namespace {

using tests::new_hash_tiles;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(TilePath, IsThatOfTheSpecification) {
    const std::pair<TileId, std::string_view> paths[] = {
        {{0, 1234067, 256}, "tile/0/x001/x234/067"},
        {{0, 0, 256}, "tile/0/000"},
        {{0, 999, 256}, "tile/0/999"},
        {{1, 1000, 256}, "tile/1/x001/000"},
        {{63, 273, 112}, "tile/63/273.p/112"},
        {{0, 1000000, 1}, "tile/0/x001/x000/000.p/1"},
        {{entry_level, 3, 256}, "tile/entries/003"},
        {{entry_level, 1234067, 255}, "tile/entries/x001/x234/067.p/255"},
        {{7, largest, 256}, "tile/7/x018/x446/x744/x073/x709/x551/615"},
    };
    for (const auto& [tile, path] : paths) {
        EXPECT_EQ(tile_path(tile), path);
        EXPECT_EQ(parse_tile_path(path), tile) << path;
    }
}

TEST(TilePath, HasNoOtherSpelling) {
    for (const std::string_view path : {"",
                                        "tile",
                                        "tile/",
                                        "tile/0",
                                        "tile/0/",
                                        "/tile/0/000",
                                        "tile/0/000/",
                                        "tile//000",
                                        "tile/00/000",
                                        "tile/01/000",
                                        "tile/64/000",
                                        "tile/-1/000",
                                        "tile/+1/000",
                                        "tile/0x1/000",
                                        "tile/Entries/000",
                                        "tile/data/000",
                                        "tile/entries",
                                        "tile/0/0",
                                        "tile/0/00",
                                        "tile/0/0000",
                                        "tile/0/1000",
                                        "tile/0/x000",
                                        "tile/0/x000/001",
                                        "tile/0/001/000",
                                        "tile/0/x001/x000",
                                        "tile/0/x01/000",
                                        "tile/0/x001/00",
                                        "tile/0/X001/000",
                                        "tile/0/xx01/000",
                                        "tile/0/x001//000",
                                        "tile/0/x001000",
                                        "tile/0/00a",
                                        "tile/0/ 00",
                                        "tile/0/+00",
                                        "tile/0/x018/x446/x744/x073/x709/x551/616",
                                        "tile/0/x999/x999/x999/x999/x999/x999/999",
                                        "tile/0/x001/x018/x446/x744/x073/x709/x551/615",
                                        "tile/0/000.p",
                                        "tile/0/000.p/",
                                        "tile/0/000.p/0",
                                        "tile/0/000.p/00",
                                        "tile/0/000.p/01",
                                        "tile/0/000.p/256",
                                        "tile/0/000.p/1000",
                                        "tile/0/000.p/-1",
                                        "tile/0/000.p/1/",
                                        "tile/0/000.p/1.p/1",
                                        "tile/0/.p/1",
                                        "tile/0/000.P/1",
                                        "tile/0/000p/1",
                                        "checkpoint",
                                        "tile/0/../000",
                                        "tile/0/000%2ep/1",
                                        "tile/0/000\n"})
        EXPECT_EQ(parse_tile_path(path).error(), "not the path of a tile") << path;
    EXPECT_FALSE(parse_tile_path(std::string_view("tile/0/000\0", 11)));
}

// The example of the specification.
TEST(NewTiles, OfATreeOf70000Entries) {
    const auto tiles = new_hash_tiles(0, 70'000);
    ASSERT_EQ(tiles.size(), 273U + 1 + 1 + 1 + 1);
    EXPECT_EQ(tiles[0], (TileId{0, 0, 256}));
    EXPECT_EQ(tiles[272], (TileId{0, 272, 256}));
    EXPECT_EQ(tiles[273], (TileId{0, 273, 112}));
    EXPECT_EQ(tiles[274], (TileId{1, 0, 256}));
    EXPECT_EQ(tiles[275], (TileId{1, 1, 17}));
    EXPECT_EQ(tiles[276], (TileId{2, 0, 1}));
    const auto bundles = new_entry_bundles(0, 70'000);
    ASSERT_EQ(bundles.size(), 274U);
    EXPECT_EQ(bundles.back(), (TileId{entry_level, 273, 112}));
}

TEST(NewTiles, AreThoseThatChange) {
    using Tiles = std::vector<TileId>;
    EXPECT_EQ(new_hash_tiles(0, 256), (Tiles{{0, 0, 256}, {1, 0, 1}}));
    EXPECT_EQ(new_hash_tiles(3, 5), (Tiles{{0, 0, 5}}));
    EXPECT_EQ(new_hash_tiles(250, 260), (Tiles{{0, 0, 256}, {0, 1, 4}, {1, 0, 1}}));
    EXPECT_EQ(new_hash_tiles(256, 257), (Tiles{{0, 1, 1}}));
    EXPECT_EQ(new_entry_bundles(250, 512), (Tiles{{entry_level, 0, 256}, {entry_level, 1, 256}}));
    for (const auto& [from, to] : {std::pair{5, 5}, {5, 4}, {0, 0}, {257, 256}}) {
        EXPECT_TRUE(new_hash_tiles(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)).empty());
        EXPECT_TRUE(new_entry_bundles(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)).empty());
    }
}

TEST(NewTiles, OfTheLargestTree) {
    const auto tiles = new_hash_tiles(largest - 1, largest);
    EXPECT_EQ(tiles, (std::vector<TileId>{{0, largest / 256, 255}}));
    const auto completed = new_hash_tiles(largest - 256, largest - 255);
    EXPECT_EQ(completed.size(), 2U) << "a full tile and the partial one above";
    EXPECT_EQ(completed.back(), (TileId{1, (largest >> 8) / 256, 255}));
}

}  // namespace
}  // namespace consentry::tlog
