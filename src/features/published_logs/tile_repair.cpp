#include "features/published_logs/tile_repair.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "features/published_logs/log_refused.hpp"
#include "features/published_logs/tile_objects.hpp"
#include "tlog/tiles.hpp"

namespace consentry {
namespace {

// A multiple of a tile, so that only the last bundle is a partial one.
constexpr std::uint64_t repaired_at_once = 4 * tlog::tile_width;
// Of one step: a fraction of a second, so that publication does not wait.
constexpr int portions_at_once = 32;

awaitable<std::vector<Bytes>> entries_of(LogRepository& repository, std::uint64_t from, std::uint64_t to) {
    return repository.entries(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to));
}

std::vector<tlog::Hash> leaves_of(const std::vector<Bytes>& entries) {
    std::vector<tlog::Hash> out;
    out.reserve(entries.size());
    for (const Bytes& entry : entries) out.push_back(tlog::leaf_hash(entry));
    return out;
}

}  // namespace

bool is_tile_of(const tlog::TileId& id, std::uint64_t size) {
    const unsigned shift = tlog::tile_height * static_cast<unsigned>(std::max(id.level, 0));
    const std::uint64_t hashes = shift < 64 ? size >> shift : 0;
    const std::uint64_t full = hashes / tlog::tile_width;
    return id.is_full() ? id.index < full : id.index == full && id.width == hashes % tlog::tile_width;
}

awaitable<tlog::Hash> root_of_entries(LogRepository& repository, std::uint64_t size) {
    tlog::CompactRange tree;
    while (tree.size() < size) {
        const auto entries =
            co_await entries_of(repository, tree.size(), std::min(size, tree.size() + repaired_at_once));
        for (const Bytes& entry : entries) tree.append(tlog::leaf_hash(entry));
    }
    co_return tree.root();
}

TileRepair::TileRepair(LogRepository& repository, storage::ObjectStore& store, storage::Area area, std::string folder,
                       tlog::Checkpoint checkpoint)
    : repository_(repository),
      store_(store),
      area_(area),
      folder_(std::move(folder)),
      checkpoint_(std::move(checkpoint)) {}

awaitable<bool> TileRepair::step() {
    const std::uint64_t size = checkpoint_.size;
    for (int portion = 0; portion < portions_at_once; ++portion) {
        if (checked_.size() < size)
            co_await check(std::min(size, checked_.size() + repaired_at_once));
        else if (rewritten_.size() < size)
            co_await rewrite(std::min(size, rewritten_.size() + repaired_at_once));
        else
            co_return true;
    }
    co_return false;
}

awaitable<void> TileRepair::check(std::uint64_t to) {
    const auto entries = co_await entries_of(repository_, checked_.size(), to);
    for (const tlog::Hash& leaf : leaves_of(entries)) checked_.append(leaf);
    if (to == checkpoint_.size && checked_.root() != checkpoint_.root)
        throw LogRefused(
            fmt::format("The object store has lost or damaged tiles of the log, and the {} entries in the database do "
                        "not have the root that the log has published: they have been changed. No tile was "
                        "rewritten. Restore the table log_entries from a backup, then restart.",
                        checkpoint_.size));
}

awaitable<void> TileRepair::rewrite(std::uint64_t to) {
    const std::uint64_t from = rewritten_.size();
    const auto entries = co_await entries_of(repository_, from, to);
    tlog::GrowingTree grown = rewritten_;
    for (const tlog::Tile& tile : grown.append(leaves_of(entries)))
        if (is_tile_of(tile.id, checkpoint_.size)) co_await put_if_different(tile);
    for (const tlog::TileId& id : tlog::new_entry_bundles(from, to)) {
        auto bundle = tlog::entry_bundle(std::span(entries).subspan(id.index * tlog::tile_width - from, id.width));
        if (!bundle) throw std::logic_error(bundle.error());
        const tlog::Tile tile{id, std::move(*bundle)};
        co_await put_if_different(tile);
    }
    rewritten_ = std::move(grown);  // only now: after a failure, the next step writes this part again
}

awaitable<void> TileRepair::put_if_different(const tlog::Tile& tile) {
    const auto stored = co_await store_.get(area_, key_of_tile(folder_, tile.id), tile.bytes.size() + 1);
    if (stored && stored->bytes == as_text(tile.bytes)) co_return;
    co_await put_tile(store_, area_, folder_, tile);
}

}  // namespace consentry
