// The objects of a log's tiles.
#pragma once

#include <string>

#include "storage/object_store.hpp"
#include "tlog/tiles.hpp"

namespace consentry {

std::string key_of_tile(const std::string& folder, const tlog::TileId& id);

// Compresses full bundles of entries, which shrinks a log by a third. Hashes do not shrink, and partial bundles soon
// disappear.
storage::awaitable<void> put_tile(storage::ObjectStore& store, storage::Area area, const std::string& folder,
                                  const tlog::Tile& tile);

}  // namespace consentry
