// What a published log proves about itself, from its tiles.
#include <utility>

#include "features/published_logs/published_log.hpp"

namespace consentry {

// From the tiles of the published tree, because those of a former one may be gone. Damage that a reader notices is
// mended by the next work().
awaitable<tlog::TileHashes> PublishedLog::must_fetch(std::vector<tlog::Node> nodes) {
    const LogState known = co_await state();
    auto tiles = co_await fetch(std::move(nodes), static_cast<std::uint64_t>(known.published));
    if (!tiles) {
        tiles_are_damaged_ = true;
        throw Unavailable(tiles.error());
    }
    co_return std::move(*tiles);
}

awaitable<std::optional<tlog::ProofFile>> PublishedLog::prove(std::int64_t position, BytesView entry) {
    LogState known = co_await state();
    if (position >= known.published) co_return std::nullopt;
    // Cosignatures make a proof worth more, so it takes the newest checkpoint that has them and covers the entry.
    std::string note = std::move(position < known.cosigned_size ? known.cosigned_checkpoint : known.checkpoint);
    co_return co_await prove_in(std::move(note), position, entry);
}

awaitable<std::optional<tlog::ProofFile>> PublishedLog::prove_in(std::string checkpoint, std::int64_t position,
                                                                 BytesView entry) {
    const auto known = tlog::parse_signed_checkpoint(checkpoint);
    if (!known) throw LogRefused("The database's log is damaged: " + known.error() + ". Restore it from a backup.");
    const std::uint64_t size = known->checkpoint.size;
    const auto index = static_cast<std::uint64_t>(position);
    if (index >= size) co_return std::nullopt;
    const tlog::TileHashes tiles = co_await must_fetch(tlog::nodes_for_inclusion(index, size));
    auto hashes = tlog::inclusion_proof(index, size, tiles.reader());
    if (!hashes || !tlog::verify_inclusion(tlog::leaf_hash(entry), index, size, *hashes, known->checkpoint.root)) {
        tiles_are_damaged_ = true;
        throw Unavailable("the object store returned tiles that do not belong to the log");
    }
    co_return tlog::ProofFile{.extra = Bytes(entry.begin(), entry.end()),
                              .index = index,
                              .hashes = std::move(*hashes),
                              .checkpoint = std::move(checkpoint)};
}

awaitable<std::vector<tlog::Hash>> PublishedLog::prove_consistency(std::uint64_t from, std::uint64_t to) {
    if (from == 0 || from == to) co_return std::vector<tlog::Hash>{};
    const tlog::TileHashes tiles = co_await must_fetch(tlog::nodes_for_consistency(from, to));
    auto hashes = tlog::consistency_proof(from, to, tiles.reader());
    if (!hashes) throw Unavailable("the object store lacks tiles of the log: " + hashes.error());
    co_return std::move(*hashes);
}

}  // namespace consentry
