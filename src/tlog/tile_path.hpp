// The names of tiles and entry bundles: c2sp.org/tlog-tiles. A path is at once a part of the public address and the
// name of the stored object.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace consentry::tlog {

// A tile contains the hashes of up to 256 subtrees of equal height, so it spans 8 levels of the tree.
inline constexpr unsigned tile_width = 256;
inline constexpr unsigned tile_height = 8;
inline constexpr int entry_level = -1;  // stands for a bundle of entries

struct TileId {
    int level = 0;  // 0 to 63; the hashes of level L are those of subtrees of 256^L leaves. Or entry_level
    std::uint64_t index = 0;
    unsigned width = tile_width;  // 1 to 255 for a partial tile

    bool is_full() const { return width == tile_width; }
    friend auto operator<=>(const TileId&, const TileId&) = default;
};

// "tile/0/x001/x234/067", "tile/1/000.p/17", "tile/entries/003.p/5"
std::string tile_path(const TileId& tile);
// Accepts exactly what tile_path() returns: no further zeros, width 1 to 255 behind ".p/", index at most 2^64 - 1.
std::expected<TileId, std::string> parse_tile_path(std::string_view path);

// The bundles of a log of `to` entries that one of `from` entries lacks: full ones and, at the right edge, a partial
// one. Empty unless from < to.
std::vector<TileId> new_entry_bundles(std::uint64_t from, std::uint64_t to);

}  // namespace consentry::tlog
