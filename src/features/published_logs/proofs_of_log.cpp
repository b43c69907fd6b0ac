// What a published log proves about itself, from its tiles.
#include <utility>

#include "features/published_logs/published_log.hpp"

namespace consentry {
namespace {

constexpr const char* foreign_tiles = "the object store returned tiles that do not belong to the log";

}  // namespace

tlog::Checkpoint stored_checkpoint(const std::string& note) {
    const auto known = tlog::parse_signed_checkpoint(note);
    if (!known) throw LogRefused("The database's log is damaged: " + known.error() + ". Restore it from a backup.");
    return known->checkpoint;
}

// Damage that a reader notices is mended by the next work().
void PublishedLog::refuse_tiles(const std::string& why) {
    tiles_are_damaged_ = true;
    throw Unavailable(why);
}

// From the tiles of the published tree, because those of a former one may be gone.
awaitable<tlog::TileHashes> PublishedLog::must_fetch(std::vector<tlog::Node> nodes) {
    const LogState known = co_await state();
    auto tiles = co_await fetch(std::move(nodes), static_cast<std::uint64_t>(known.published));
    if (!tiles) refuse_tiles(tiles.error());
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
    if (index >= stored_checkpoint(checkpoint).size) co_return std::nullopt;
    std::vector<PlacedEntry> one{{index, Bytes(entry.begin(), entry.end())}};
    auto proofs = co_await prove_all(std::move(checkpoint), std::move(one));
    co_return std::move(proofs.front());
}

awaitable<std::vector<tlog::ProofFile>> PublishedLog::prove_all(std::string checkpoint,
                                                                std::vector<PlacedEntry> entries) {
    const tlog::Checkpoint known = stored_checkpoint(checkpoint);
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
            !tlog::verify_inclusion(tlog::leaf_hash(one.entry), one.position, known.size, *hashes, known.root))
            refuse_tiles(foreign_tiles);
        out.push_back({.extra = std::move(one.entry),
                       .index = one.position,
                       .hashes = std::move(*hashes),
                       .checkpoint = checkpoint});
    }
    co_return std::move(out);
}

awaitable<FormerTree> PublishedLog::prove_former(std::uint64_t size, tlog::Checkpoint later) {
    if (size == later.size) co_return FormerTree{.root = later.root, .consistency = {}};
    if (size == 0) co_return FormerTree{.root = tlog::empty_root(), .consistency = {}};
    std::vector<tlog::Node> nodes = tlog::nodes_for_root(size);
    const auto others = tlog::nodes_for_consistency(size, later.size);
    nodes.insert(nodes.end(), others.begin(), others.end());
    const tlog::TileHashes tiles = co_await must_fetch(std::move(nodes));
    const auto root = tlog::root_of(size, tiles.reader());
    auto proof = tlog::consistency_proof(size, later.size, tiles.reader());
    if (!root || !proof || !tlog::verify_consistency(size, *root, later.size, later.root, *proof))
        refuse_tiles(foreign_tiles);
    co_return FormerTree{.root = *root, .consistency = std::move(*proof)};
}

}  // namespace consentry
