#include "tlog/tiles.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"

namespace consentry::tlog {
namespace {

using tests::naive_reader;
using tests::naive_root;
using tests::new_hash_tiles;
using tests::some_leaves;

// The tiles of a log in its object store, by path.
class Store {
public:
    void put(const Tile& tile) { objects_[tile_path(tile.id)] = tile.bytes; }
    // As a client that fetches what a proof needs.
    TileHashes fetch(const std::vector<Node>& nodes, std::uint64_t size) const {
        TileHashes tiles;
        for (const TileId& id : tiles_with(nodes, size)) {
            const auto added = tiles.add({id, objects_.at(tile_path(id))});
            EXPECT_TRUE(added) << added.error();
        }
        return tiles;
    }

private:
    std::map<std::string, Bytes> objects_;
};

// What grow_tiles() reads of a tree of this size.
std::vector<Node> right_edge_of(std::uint64_t size) {
    std::vector<Node> nodes;
    for (unsigned level = 0; size > 0; level += tile_height, size /= tile_width)
        for (std::uint64_t at = size - size % tile_width; at < size; ++at) nodes.push_back({level, at});
    return nodes;
}

TEST(Tiles, GrowAsTheDefinitionSays) {
    const auto leaves = some_leaves(70'000);
    const auto tiles = grow_tiles(0, leaves, naive_reader({}));
    ASSERT_TRUE(tiles) << tiles.error();
    const auto ids = new_hash_tiles(0, leaves.size());
    ASSERT_EQ(tiles->size(), ids.size());
    const auto hash_of = [&](int level, std::uint64_t index) {  // MTH(D[index * 256^level : (index + 1) * 256^level])
        const std::uint64_t width = std::uint64_t{1} << 8 * level;
        return naive_root(std::span(leaves).subspan(index * width, width));
    };
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto& [id, bytes] = (*tiles)[i];
        EXPECT_EQ(id, ids[i]);
        ASSERT_EQ(bytes.size(), id.width * 32U);
        for (unsigned place = 0; place < id.width; ++place)
            ASSERT_EQ(to_hex(BytesView(bytes).subspan(place * 32U, 32)),
                      to_hex(hash_of(id.level, id.index * 256 + place)))
                << tile_path(id) << ", hash " << place;
    }
}

// A log that grows in steps serves every root and proof of each of its sizes from the tiles alone.
TEST(Tiles, OfAGrowingLogProveEachOfItsSizes) {
    const auto leaves = some_leaves(1'000);
    std::mt19937_64 random{9162};
    Store store;
    std::uint64_t size = 0;
    std::vector<std::uint64_t> sizes;
    while (size < leaves.size()) {
        const std::uint64_t to = std::min<std::uint64_t>(leaves.size(), size + 1 + random() % 120);
        const TileHashes edge = store.fetch(right_edge_of(size), size);
        const auto tiles = grow_tiles(size, std::span(leaves).subspan(size, to - size), edge.reader());
        ASSERT_TRUE(tiles) << tiles.error();
        std::vector<TileId> ids;
        for (const Tile& tile : *tiles) {
            store.put(tile);
            ids.push_back(tile.id);
        }
        EXPECT_EQ(ids, new_hash_tiles(size, to));
        size = to;
        sizes.push_back(size);
    }
    for (const std::uint64_t at : sizes) {
        const Hash root = naive_root(std::span(leaves).first(at));
        EXPECT_EQ(root_of(at, store.fetch(nodes_for_root(at), at).reader()), root);
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t index = random() % at;
            const auto path = inclusion_proof(index, at, store.fetch(nodes_for_inclusion(index, at), at).reader());
            ASSERT_TRUE(path) << path.error();
            EXPECT_TRUE(verify_inclusion(leaves[index], index, at, *path, root));
            const auto proof =
                consistency_proof(index + 1, at, store.fetch(nodes_for_consistency(index + 1, at), at).reader());
            ASSERT_TRUE(proof) << proof.error();
            EXPECT_TRUE(
                verify_consistency(index + 1, naive_root(std::span(leaves).first(index + 1)), at, root, *proof));
        }
    }
}

TEST(Tiles, AFullTileStandsForThePartialOnesBefore) {
    const auto leaves = some_leaves(256);
    const auto tiles = grow_tiles(0, leaves, naive_reader({})).value();
    const auto partial = grow_tiles(0, std::span(leaves).first(100), naive_reader({})).value();
    TileHashes hashes;
    for (const Tile& tile : tiles) ASSERT_TRUE(hashes.add(tile));
    ASSERT_TRUE(hashes.add(partial.front())) << "the narrower one changes nothing";
    EXPECT_EQ(root_of(100, hashes.reader()), naive_root(std::span(leaves).first(100)));
    EXPECT_EQ(root_of(256, hashes.reader()), naive_root(leaves));
    EXPECT_EQ(hashes.hash({0, 255}), leaves[255]);
}

TEST(Tiles, AnotherTileLeadsToAnotherRoot) {
    const auto leaves = some_leaves(300);
    auto tiles = grow_tiles(0, leaves, naive_reader({})).value();
    tiles[1].bytes[5] ^= 1;
    TileHashes hashes;
    for (const Tile& tile : tiles) ASSERT_TRUE(hashes.add(tile));
    EXPECT_NE(root_of(300, hashes.reader()), naive_root(leaves));
}

TEST(Tiles, WhatTheyDoNotContainIsRefused) {
    const auto leaves = some_leaves(100);
    auto tile = grow_tiles(0, leaves, naive_reader({})).value().front();
    TileHashes hashes;
    ASSERT_TRUE(hashes.add(tile));
    EXPECT_EQ(hashes.hash({0, 99}), leaves[99]);
    EXPECT_EQ(hashes.hash({0, 100}).error(), "the hash of node 100 at level 0 is in none of the tiles");
    EXPECT_TRUE(hashes.hash({5, 2}));
    EXPECT_FALSE(hashes.hash({5, 3})) << "the leaves 96 to 127";
    EXPECT_FALSE(hashes.hash({8, 0}));
    EXPECT_FALSE(hashes.hash({0, 256}));
    EXPECT_EQ(root_of(101, hashes.reader()).error(), "the hash of node 100 at level 0 is in none of the tiles");

    tile.bytes.pop_back();
    EXPECT_EQ(hashes.add(tile).error(), "tile/0/000.p/100 has 3199 bytes instead of 3200");
    EXPECT_FALSE(hashes.add({{0, 0, 0}, {}}));
    EXPECT_FALSE(hashes.add({{0, 0, 257}, Bytes(257 * 32)}));
    EXPECT_FALSE(hashes.add({{entry_level, 0, 1}, Bytes(32)}));
    EXPECT_EQ(grow_tiles(101, leaves, hashes.reader()).error(),
              "the hash of node 100 at level 0 is in none of the tiles");
    EXPECT_FALSE(grow_tiles(std::uint64_t{0} - 100, leaves, hashes.reader())) << "2^64 leaves";
}

TEST(EntryBundle, HasALengthBeforeEachEntry) {
    const std::vector<Bytes> entries{{0xAA}, {}, Bytes(300, 0xBB)};
    const auto bundle = entry_bundle(entries);
    ASSERT_TRUE(bundle) << bundle.error();
    EXPECT_EQ(to_hex(BytesView(*bundle).first(8)), "0001aa0000012cbb");
    EXPECT_EQ(bundle->size(), 3 * 2 + 301U);
    const auto read = parse_entry_bundle(*bundle, 3);
    ASSERT_TRUE(read) << read.error();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(Bytes((*read)[i].begin(), (*read)[i].end()), entries[i]);
}

TEST(EntryBundle, TakesWhatItsFormatCanHold) {
    EXPECT_TRUE(entry_bundle(std::vector<Bytes>(256, Bytes(entry_bytes_max))));
    EXPECT_FALSE(entry_bundle(std::vector<Bytes>(257)));
    EXPECT_FALSE(entry_bundle({}));
    EXPECT_EQ(entry_bundle(std::vector<Bytes>{Bytes(entry_bytes_max + 1)}).error(),
              "an entry of 65536 bytes is longer than 65535");
}

TEST(EntryBundle, IsReadStrictly) {
    const auto bundle = entry_bundle(std::vector<Bytes>{{1, 2}, {3}}).value();
    EXPECT_TRUE(parse_entry_bundle(bundle, 2));
    EXPECT_EQ(parse_entry_bundle(bundle, 1).error(), "3 bytes follow the last entry");
    EXPECT_EQ(parse_entry_bundle(bundle, 3).error(), "the bundle ends before entry 2 of 3");
    EXPECT_EQ(parse_entry_bundle(BytesView(bundle).first(6), 2).error(), "the bundle ends within entry 1");
    EXPECT_EQ(parse_entry_bundle(BytesView(bundle).first(5), 2).error(), "the bundle ends before entry 1 of 2");
    EXPECT_FALSE(parse_entry_bundle({}, 0));
    EXPECT_FALSE(parse_entry_bundle(Bytes(257 * 2), 257));
}

}  // namespace
}  // namespace consentry::tlog
