// Merkle trees as RFC 6962 section 2.1 writes them down: by recursion over all leaves. What the code in src/tlog is
// compared with.
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "tlog/proofs.hpp"
#include "tlog/tile_path.hpp"

namespace consentry::tests {

using Leaves = std::span<const tlog::Hash>;

// The leaf hashes of "entry 0", "entry 1", ...
inline std::vector<tlog::Hash> some_leaves(std::size_t count) {
    std::vector<tlog::Hash> leaves;
    leaves.reserve(count);
    for (std::size_t i = 0; i < count; ++i) leaves.push_back(tlog::leaf_hash(as_bytes("entry " + std::to_string(i))));
    return leaves;
}

// MTH of section 2.1.
inline tlog::Hash naive_root(Leaves leaves) {
    if (leaves.empty()) return tlog::empty_root();
    if (leaves.size() == 1) return leaves.front();
    const std::size_t split = std::bit_floor(leaves.size() - 1);
    return tlog::node_hash(naive_root(leaves.first(split)), naive_root(leaves.subspan(split)));
}

// PATH of section 2.1.1.
inline std::vector<tlog::Hash> naive_path(std::size_t index, Leaves leaves) {
    if (leaves.size() == 1) return {};
    const std::size_t split = std::bit_floor(leaves.size() - 1);
    const bool goes_left = index < split;
    auto path = goes_left ? naive_path(index, leaves.first(split)) : naive_path(index - split, leaves.subspan(split));
    path.push_back(naive_root(goes_left ? leaves.subspan(split) : leaves.first(split)));
    return path;
}

// SUBPROOF of section 2.1.2.
inline std::vector<tlog::Hash> naive_proof(std::size_t size1, Leaves leaves, bool is_known = true) {
    if (size1 == leaves.size()) return is_known ? std::vector<tlog::Hash>{} : std::vector{naive_root(leaves)};
    const std::size_t split = std::bit_floor(leaves.size() - 1);
    const bool goes_left = size1 <= split;
    auto proof = goes_left ? naive_proof(size1, leaves.first(split), is_known)
                           : naive_proof(size1 - split, leaves.subspan(split), false);
    proof.push_back(naive_root(goes_left ? leaves.subspan(split) : leaves.first(split)));
    return proof;
}

// Knows the complete subtrees of a tree. Borrows the leaves.
inline tlog::HashReader naive_reader(Leaves leaves) {
    return [leaves](const tlog::Node& node) -> std::expected<tlog::Hash, std::string> {
        const std::uint64_t width = std::uint64_t{1} << node.level;
        if ((node.index + 1) * width > leaves.size()) return std::unexpected("no complete subtree of this tree");
        return naive_root(leaves.subspan(node.index * width, width));
    };
}

// The tiles of hashes of a tree of `to` leaves that one of `from` leaves lacks. The leaves of each level are the full
// tiles of the one below.
inline std::vector<tlog::TileId> new_hash_tiles(std::uint64_t from, std::uint64_t to) {
    std::vector<tlog::TileId> tiles;
    for (int level = 0; to > 0; ++level, from /= tlog::tile_width, to /= tlog::tile_width)
        for (const tlog::TileId& tile : tlog::new_entry_bundles(from, to))
            tiles.push_back({level, tile.index, tile.width});
    return tiles;
}

}  // namespace consentry::tests
