// What a published log proves about itself, from its tiles.
#include <utility>

#include "features/published_logs/published_log.hpp"

namespace consentry {
namespace {

tlog::Checkpoint must_parse(const std::string& note) {
    const auto known = tlog::parse_signed_checkpoint(note);
    if (!known) throw LogRefused("The database's log is damaged: " + known.error() + ". Restore it from a backup.");
    return known->checkpoint;
}

}  // namespace

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
    const auto index = static_cast<std::uint64_t>(position);
    if (index >= must_parse(checkpoint).size) co_return std::nullopt;
    std::vector<PlacedEntry> one{{index, Bytes(entry.begin(), entry.end())}};
    auto proofs = co_await prove_all(std::move(checkpoint), std::move(one));
    co_return std::move(proofs.front());
}

awaitable<std::vector<tlog::ProofFile>> PublishedLog::prove_all(std::string checkpoint,
                                                                std::vector<PlacedEntry> entries) {
    const tlog::Checkpoint known = must_parse(checkpoint);
    std::vector<tlog::Node> nodes;
    for (const PlacedEntry& one : entries) {
        const auto own = tlog::nodes_for_inclusion(one.position, known.size);
        nodes.insert(nodes.end(), own.begin(), own.end());
    }
    const tlog::TileHashes tiles = co_await must_fetch(std::move(nodes));
    std::vector<tlog::ProofFile> out;
    for (PlacedEntry& one : entries) {
        auto hashes = tlog::inclusion_proof(one.position, known.size, tiles.reader());
        if (!hashes ||
            !tlog::verify_inclusion(tlog::leaf_hash(one.entry), one.position, known.size, *hashes, known.root)) {
            tiles_are_damaged_ = true;
            throw Unavailable("the object store returned tiles that do not belong to the log");
        }
        out.push_back({.extra = std::move(one.entry),
                       .index = one.position,
                       .hashes = std::move(*hashes),
                       .checkpoint = checkpoint});
    }
    co_return std::move(out);
}

awaitable<std::vector<tlog::Hash>> PublishedLog::prove_consistency(std::uint64_t from, std::uint64_t to) {
    if (from == 0 || from == to) co_return std::vector<tlog::Hash>{};
    const tlog::TileHashes tiles = co_await must_fetch(tlog::nodes_for_consistency(from, to));
    auto hashes = tlog::consistency_proof(from, to, tiles.reader());
    if (!hashes) throw Unavailable("the object store lacks tiles of the log: " + hashes.error());
    co_return std::move(*hashes);
}

}  // namespace consentry
