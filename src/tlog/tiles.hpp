// The contents of hash tiles and entry bundles: c2sp.org/tlog-tiles. Errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "tlog/proofs.hpp"
#include "tlog/tile_path.hpp"

namespace consentry::tlog {

struct Tile {
    TileId id;
    Bytes bytes;  // 32 for each hash
};

// The tiles that a tree of `from` leaves lacks once these are appended: full ones and, at the right edge, partial ones,
// in ascending order. `hashes` reads the tree of `from` leaves: of each level, the nodes at the right edge that do not
// fill a tile.
std::expected<std::vector<Tile>, std::string> grow_tiles(std::uint64_t from, std::span<const Hash> leaves,
                                                         const HashReader& hashes);

// The tiles of a tree of `size` leaves that contain these nodes, each once, in ascending order. All nodes must be
// complete subtrees of that tree, as those that nodes_for_...() return for this size.
std::vector<TileId> tiles_with(std::span<const Node> nodes, std::uint64_t size);

// Tiles that were fetched, as the source of their hashes and of all nodes between their bottom and their top. It does
// not know whether they are genuine: compare root_of() with the root of a checkpoint, or verify the proof.
class TileHashes {
public:
    // Refuses bytes whose number does not fit the width. Of two tiles at one place the wider counts: a full tile stands
    // for the partial ones that it has replaced.
    std::expected<void, std::string> add(Tile tile);
    std::expected<Hash, std::string> hash(const Node& node) const;  // refuses a node that the tiles do not contain
    // Borrows this object.
    HashReader reader() const;

private:
    std::map<std::pair<int, std::uint64_t>, Bytes> tiles_;  // by level and index
};

inline constexpr std::size_t entry_bytes_max = 65535;
// 256 entries of the largest size, each behind two bytes. A tile of hashes has less.
inline constexpr std::size_t tile_bytes_max = std::size_t{tile_width} * (entry_bytes_max + 2);

// Each entry behind its length, a big-endian uint16. Refuses an entry above the limit, no entry, and more than 256.
std::expected<Bytes, std::string> entry_bundle(std::span<const Bytes> entries);
// The entries, as views into the bundle. Refuses another number of entries than `width` and bytes behind the last one.
std::expected<std::vector<BytesView>, std::string> parse_entry_bundle(BytesView bundle, unsigned width);

}  // namespace consentry::tlog
