// What PublishedLog compares between the database and the object store before it continues a log, and how it mends the
// store.

#include <fmt/format.h>

#include "base/error.hpp"
#include "features/published_logs/published_log.hpp"

namespace consentry {
namespace {

// Owns the flag with the log: a coroutine that waits at the end of the service is destroyed after the log.
class Busy {
public:
    explicit Busy(std::shared_ptr<std::atomic<bool>> flag) : flag_(std::move(flag)) {}
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { *flag_ = false; }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace

awaitable<LogState> PublishedLog::check_publication() {
    const auto object = co_await store_.get(options_.area, key_of(checkpoint_object), tlog::note_bytes_max);
    // Read after the object: another process may publish meanwhile, and then the database is the newer one.
    LogState known = co_await state();
    // An attacker in the database can change the tree together with the entries, but not make the signature.
    require_whole(known, signer_->verifier());
    if (options_.cosigning_clock != nullptr) require_public(known, signer_->verifier());
    if (object) {
        const auto published = published_checkpoint(object->bytes, signer_->verifier());
        require_not_behind(own_checkpoint(known.checkpoint, signer_->verifier()), published);
        co_await check_extension(published, known);
        note_seen(published.size);
    } else if (known.published > 0) {
        tiles_are_damaged_ = true;  // what has lost the checkpoint may have lost more
    }
    // Before the object, which must not be ahead of the database: what waited for witnesses that the settings no longer
    // name, or that only those of another instance still name.
    const bool waits = !known.public_checkpoint.empty() && known.public_size < known.published;
    if (options_.cosigning_clock == nullptr && waits) co_await repository_.show_latest(known);
    if (!object || object->bytes != shown(known)) co_await put_checkpoint();
    checked_ = hash_of(shown(known));
    co_return known;
}

// The store may have an older checkpoint: from a backup, or because a process was killed before it wrote the new one.
awaitable<void> PublishedLog::check_extension(const tlog::Checkpoint& older, const LogState& known) {
    const auto own = tlog::open_checkpoint(known.checkpoint, signer_->verifier()).value().checkpoint;
    if (older.size == 0 || older.size == own.size) co_return;
    // A proof holds whatever the store returned. Without one, the entries themselves decide.
    const auto tiles = co_await fetch(tlog::nodes_for_consistency(older.size, own.size), own.size);
    if (tiles) {
        const auto proof = tlog::consistency_proof(older.size, own.size, tiles->reader());
        if (proof && tlog::verify_consistency(older.size, older.root, own.size, own.root, *proof)) co_return;
    }
    const tlog::Hash root = co_await root_of_entries(repository_, older.size);
    if (root != older.root)
        throw LogRefused(fmt::format(
            "The published checkpoint of {} entries is not an earlier state of the log in the database, which has {}: "
            "another database has published there, or entries of this one were changed. Restore a backup of the "
            "database that published it.",
            older.size, own.size));
    tiles_are_damaged_ = true;
}

// Where a store has lost its newest objects, as after the restore of a backup, the right edge shows it.
awaitable<void> PublishedLog::check_edge() {
    const LogState known = co_await state();
    const auto own = tlog::open_checkpoint(known.checkpoint, signer_->verifier()).value().checkpoint;
    if (own.size == 0) co_return;
    const auto tiles = co_await fetch(tlog::nodes_for_root(own.size), own.size);
    const auto root = tiles ? tlog::root_of(own.size, tiles->reader()) : std::unexpected(tiles.error());
    const tlog::TileId newest = tlog::new_entry_bundles(own.size - 1, own.size).back();
    auto bundle = co_await object(newest);
    if (!bundle) bundle = co_await object({.level = newest.level, .index = newest.index});
    if (!root || *root != own.root || !bundle) tiles_are_damaged_ = true;
}

// Reads the tiles of the tree of `size` entries that contain these nodes. The error says that the store lacks one, or
// that it has returned something else.
awaitable<std::expected<tlog::TileHashes, std::string>> PublishedLog::fetch(std::vector<tlog::Node> nodes,
                                                                            std::uint64_t size) {
    tlog::TileHashes out;
    for (const tlog::TileId& id : tlog::tiles_with(nodes, size)) {
        auto bytes = co_await object(id);
        if (!bytes) {  // a full tile may have replaced it meanwhile
            const tlog::TileId full{.level = id.level, .index = id.index};
            bytes = co_await object(full);
            if (bytes) bytes->resize(id.width * sizeof(tlog::Hash));
        }
        if (!bytes) co_return std::unexpected("the object store lacks tiles of the log");
        const BytesView view = as_bytes(*bytes);
        if (auto added = out.add({id, Bytes(view.begin(), view.end())}); !added)
            co_return std::unexpected("the object store returned another object: " + added.error());
    }
    co_return out;
}

// A part at each call, because a large log takes long and entries that wait have a promise.
awaitable<void> PublishedLog::repair() {
    if (!tiles_are_damaged_ || is_repairing_->exchange(true)) co_return;
    const Busy busy(is_repairing_);
    if (damage_) throw LogRefused(*damage_);
    if (!repair_) {
        const LogState known = co_await state();
        repair_.emplace(repository_, store_, options_.area, options_.folder,
                        tlog::open_checkpoint(known.checkpoint, signer_->verifier()).value().checkpoint);
    }
    // Damage that is found from here on may be behind the part that is done.
    tiles_are_damaged_ = false;
    try {
        const bool is_done = co_await repair_->step();
        if (is_done) repair_.reset();
    } catch (const LogRefused& refused) {
        damage_ = refused;
    } catch (...) {  // such as an outage, which ends
        tiles_are_damaged_ = true;
        throw;
    }
    if (repair_ || damage_) tiles_are_damaged_ = true;
    if (damage_) throw LogRefused(*damage_);
}

}  // namespace consentry
