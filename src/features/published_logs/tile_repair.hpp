// Rewrites what an object store has lost or damaged of a log, from the entries in the database.
//
// It walks over all entries twice. The first walk computes the root and writes nothing: entries that do not have the
// signed root would destroy the good tiles. The second walk compares every tile and writes those that differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "features/published_logs/repository.hpp"
#include "storage/object_store.hpp"
#include "tlog/checkpoint.hpp"
#include "tlog/compact_range.hpp"
#include "tlog/growing_tree.hpp"

namespace consentry {

// Whether the tree of `size` entries has this tile: a full one, or the partial one at its right edge.
bool is_tile_of(const tlog::TileId& id, std::uint64_t size);

// The root of the first `size` entries in the database.
awaitable<tlog::Hash> root_of_entries(LogRepository& repository, std::uint64_t size);

class TileRepair {
public:
    // The references must outlive this object. `folder` is that of the log's objects.
    TileRepair(LogRepository& repository, storage::ObjectStore& store, storage::Area area, std::string folder,
               tlog::Checkpoint checkpoint);

    // Continues with the next entries and returns whether it has reached the end. Throws LogRefused if the entries do
    // not have the root of the checkpoint. After another failure, the next call begins again where this one began.
    awaitable<bool> step();

private:
    awaitable<void> check(std::uint64_t to);
    awaitable<void> rewrite(std::uint64_t to);
    awaitable<void> put_if_different(const tlog::Tile& tile);

    LogRepository& repository_;
    storage::ObjectStore& store_;
    const storage::Area area_;
    const std::string folder_;
    const tlog::Checkpoint checkpoint_;
    tlog::CompactRange checked_;
    tlog::GrowingTree rewritten_;
};

}  // namespace consentry
