#include "tlog/growing_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace consentry::tlog {
namespace {

// The partial tiles at the right edge of a tree, without their contents.
std::vector<Tile> partial_tiles(std::uint64_t size) {
    std::vector<Tile> out;
    int level = 0;
    for (std::uint64_t hashes = size; hashes > 0; hashes >>= tile_height, ++level)
        if (hashes % tile_width != 0)
            out.push_back({{level, hashes / tile_width, static_cast<unsigned>(hashes % tile_width)}, {}});
    return out;
}

}  // namespace

std::expected<GrowingTree, std::string> GrowingTree::restore(std::uint64_t size, BytesView edge) {
    GrowingTree out;
    out.size_ = size;
    out.partial_ = partial_tiles(size);
    for (Tile& tile : out.partial_) {
        const std::size_t length = tile.id.width * sizeof(Hash);
        if (edge.size() < length) return std::unexpected("the tree's edge has fewer hashes than its size requires");
        tile.bytes.assign(edge.begin(), edge.begin() + static_cast<std::ptrdiff_t>(length));
        edge = edge.subspan(length);
    }
    if (!edge.empty()) return std::unexpected("the tree's edge has more hashes than its size requires");
    return out;
}

Bytes GrowingTree::edge() const {
    Bytes out;
    for (const Tile& tile : partial_) out.insert(out.end(), tile.bytes.begin(), tile.bytes.end());
    return out;
}

TileHashes GrowingTree::hashes() const {
    TileHashes out;
    for (const Tile& tile : partial_)
        if (auto added = out.add(tile); !added) throw std::logic_error(added.error());
    return out;
}

Hash GrowingTree::root() const {
    const TileHashes known = hashes();
    const auto root = root_of(size_, known.reader());
    if (!root) throw std::logic_error(root.error());
    return *root;
}

std::vector<Tile> GrowingTree::append(std::span<const Hash> leaves) {
    const TileHashes known = hashes();
    auto grown = grow_tiles(size_, leaves, known.reader());
    if (!grown) throw std::length_error(grown.error());
    size_ += leaves.size();
    const std::vector<Tile> former = std::exchange(partial_, partial_tiles(size_));
    for (Tile& tile : partial_) {
        // A level that has not grown keeps its tile.
        const auto is_same = [&](const Tile& other) { return other.id == tile.id; };
        const auto found = std::ranges::find_if(*grown, is_same);
        tile.bytes = found != grown->end() ? found->bytes : std::ranges::find_if(former, is_same)->bytes;
    }
    return std::move(*grown);
}

}  // namespace consentry::tlog
