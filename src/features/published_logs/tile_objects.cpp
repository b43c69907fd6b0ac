#include "features/published_logs/tile_objects.hpp"

#include "base/bytes.hpp"
#include "tlog/tile_path.hpp"

namespace consentry {

std::string key_of_tile(const std::string& folder, const tlog::TileId& id) {
    return folder + "/" + tlog::tile_path(id);
}

storage::awaitable<void> put_tile(storage::ObjectStore& store, storage::Area area, const std::string& folder,
                                  const tlog::Tile& tile) {
    constexpr const char* type = "application/octet-stream";  // c2sp.org/tlog-tiles
    std::string key = key_of_tile(folder, tile.id);
    std::string bytes(as_text(tile.bytes));
    if (tile.id.level == tlog::entry_level && tile.id.is_full())
        co_await store.put_compressed(area, std::move(key), std::move(bytes), type);
    else
        co_await store.put(area, std::move(key), std::move(bytes), type);
}

}  // namespace consentry
