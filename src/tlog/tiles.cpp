#include "tlog/tiles.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace consentry::tlog {
namespace {

constexpr std::size_t hash_size = sizeof(Hash);

Hash hash_at(BytesView tile, std::uint64_t place) {
    return to_array<Hash>(tile.subspan(static_cast<std::size_t>(place) * hash_size, hash_size)).value();
}

Bytes bytes_of(std::span<const Hash> hashes) {
    Bytes bytes;
    bytes.reserve(hashes.size() * hash_size);
    for (const Hash& hash : hashes) bytes.insert(bytes.end(), hash.begin(), hash.end());
    return bytes;
}

// The root of a complete subtree, from its lowest hashes; their number is a power of two.
Hash fold(std::vector<Hash> hashes) {
    for (std::size_t count = hashes.size(); count > 1; count /= 2)
        for (std::size_t i = 0; i < count / 2; ++i) hashes[i] = node_hash(hashes[2 * i], hashes[2 * i + 1]);
    return hashes.front();
}

// Where a node is in the tiles: above `count` hashes of one tile, the first of which is at `place`.
struct Position {
    int level;
    std::uint64_t tile;
    unsigned place;
    unsigned count;
};
Position position_of(const Node& node) {
    const unsigned height = node.level % tile_height;
    const std::uint64_t first = node.index << height;
    return {static_cast<int>(node.level / tile_height), first / tile_width, static_cast<unsigned>(first % tile_width),
            1U << height};
}

std::uint64_t hashes_at(int level, std::uint64_t size) { return size >> (tile_height * static_cast<unsigned>(level)); }

}  // namespace

std::expected<std::vector<Tile>, std::string> grow_tiles(std::uint64_t from, std::span<const Hash> leaves,
                                                         const HashReader& hashes) {
    if (leaves.size() > std::numeric_limits<std::uint64_t>::max() - from)
        return std::unexpected("the tree would have more than 2^64 - 1 leaves");
    std::vector<Tile> tiles;
    std::vector<Hash> added(leaves.begin(), leaves.end());
    for (int level = 0; !added.empty(); ++level) {
        const std::uint64_t former = hashes_at(level, from);
        std::uint64_t index = former / tile_width;
        std::vector<Hash> row;  // from the beginning of the tile that grows
        for (std::uint64_t at = index * tile_width; at < former; ++at) {
            const auto hash = hashes({tile_height * static_cast<unsigned>(level), at});
            if (!hash) return std::unexpected(hash.error());
            row.push_back(*hash);
        }
        row.insert(row.end(), added.begin(), added.end());
        added.clear();
        for (std::span<const Hash> rest = row; !rest.empty(); ++index) {
            const auto tile = rest.first(std::min<std::size_t>(rest.size(), tile_width));
            rest = rest.subspan(tile.size());
            tiles.push_back({{level, index, static_cast<unsigned>(tile.size())}, bytes_of(tile)});
            if (tile.size() == tile_width) added.push_back(fold({tile.begin(), tile.end()}));
        }
    }
    return tiles;
}

std::vector<TileId> tiles_with(std::span<const Node> nodes, std::uint64_t size) {
    std::vector<TileId> tiles;
    for (const Node& node : nodes) {
        const Position position = position_of(node);
        const std::uint64_t begin = position.tile * tile_width;
        const std::uint64_t behind = hashes_at(position.level, size) - begin;
        tiles.push_back(
            {position.level, position.tile, static_cast<unsigned>(std::min<std::uint64_t>(behind, tile_width))});
    }
    std::ranges::sort(tiles);
    const auto repeated = std::ranges::unique(tiles);
    tiles.erase(repeated.begin(), repeated.end());
    return tiles;
}

std::expected<void, std::string> TileHashes::add(Tile tile) {
    const auto [level, index, width] = tile.id;
    if (level < 0 || width == 0 || width > tile_width) return std::unexpected("not a tile of hashes");
    if (tile.bytes.size() != width * hash_size)
        return std::unexpected(
            fmt::format("{} has {} bytes instead of {}", tile_path(tile.id), tile.bytes.size(), width * hash_size));
    Bytes& present = tiles_[{level, index}];
    if (present.size() < tile.bytes.size()) present = std::move(tile.bytes);
    return {};
}

std::expected<Hash, std::string> TileHashes::hash(const Node& node) const {
    const Position position = position_of(node);
    const auto found = tiles_.find({position.level, position.tile});
    if (found == tiles_.end() || found->second.size() < (position.place + position.count) * hash_size)
        return std::unexpected(
            fmt::format("the hash of node {} at level {} is in none of the tiles", node.index, node.level));
    std::vector<Hash> bottom;
    bottom.reserve(position.count);
    for (unsigned i = 0; i < position.count; ++i) bottom.push_back(hash_at(found->second, position.place + i));
    return fold(std::move(bottom));
}

HashReader TileHashes::reader() const {
    return [this](const Node& node) { return hash(node); };
}

std::expected<Bytes, std::string> entry_bundle(std::span<const Bytes> entries) {
    if (entries.empty() || entries.size() > tile_width) return std::unexpected("a bundle has 1 to 256 entries");
    Bytes bundle;
    for (const Bytes& entry : entries) {
        if (entry.size() > entry_bytes_max)
            return std::unexpected(
                fmt::format("an entry of {} bytes is longer than {}", entry.size(), entry_bytes_max));
        bundle.push_back(static_cast<std::uint8_t>(entry.size() >> 8));
        bundle.push_back(static_cast<std::uint8_t>(entry.size() & 0xFF));
        bundle.insert(bundle.end(), entry.begin(), entry.end());
    }
    return bundle;
}

std::expected<std::vector<BytesView>, std::string> parse_entry_bundle(BytesView bundle, unsigned width) {
    if (width == 0 || width > tile_width) return std::unexpected("a bundle has 1 to 256 entries");
    std::vector<BytesView> entries;
    entries.reserve(width);
    for (unsigned i = 0; i < width; ++i) {
        if (bundle.size() < 2) return std::unexpected(fmt::format("the bundle ends before entry {} of {}", i, width));
        const std::size_t size = static_cast<std::size_t>(bundle[0]) << 8 | bundle[1];
        bundle = bundle.subspan(2);
        if (bundle.size() < size) return std::unexpected(fmt::format("the bundle ends within entry {}", i));
        entries.push_back(bundle.first(size));
        bundle = bundle.subspan(size);
    }
    if (!bundle.empty()) return std::unexpected(fmt::format("{} bytes follow the last entry", bundle.size()));
    return entries;
}

}  // namespace consentry::tlog
