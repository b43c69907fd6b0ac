// A tree at its right edge: the partial tiles, which are all that appending and the root need. At most 255 hashes for
// each level of tiles, whatever the size.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "tlog/tiles.hpp"

namespace consentry::tlog {

class GrowingTree {
public:
    GrowingTree() = default;  // the empty tree
    // From what edge() returned for a tree of this size. Refuses another number of hashes than the size has.
    static std::expected<GrowingTree, std::string> restore(std::uint64_t size, BytesView edge);

    std::uint64_t size() const { return size_; }
    Bytes edge() const;  // 32 bytes for each hash, the lowest level first
    Hash root() const;
    // Returns the tiles that the grown tree has and the former one has not, as grow_tiles() does.
    // Throws std::length_error above 2^64 - 1 leaves.
    std::vector<Tile> append(std::span<const Hash> leaves);

private:
    TileHashes hashes() const;

    std::uint64_t size_ = 0;
    std::vector<Tile> partial_;  // in ascending order of their levels
};

}  // namespace consentry::tlog
