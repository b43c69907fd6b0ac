// A log that anyone can verify: entries of the database, sequenced, and published as tiles and a signed checkpoint
// (c2sp.org/tlog-tiles). It knows nothing of what its entries say.
//
// Any number of processes may work on one log. An entry gets its position by one conditional statement and keeps it
// forever. What is published follows from the positions alone, so processes that publish at the same time write the
// same bytes. Tiles are stored before the checkpoint that covers them, and a checkpoint is signed only for a size whose
// entries are committed: no size is ever signed with two roots (docs/decisions/0032).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "crypto/signature_keys.hpp"
#include "features/published_logs/continuation.hpp"
#include "features/published_logs/log_refused.hpp"
#include "features/published_logs/repository.hpp"
#include "features/published_logs/tile_repair.hpp"
#include "storage/object_store.hpp"
#include "tlog/checkpoint.hpp"
#include "tlog/growing_tree.hpp"
#include "tlog/proof_file.hpp"
#include "tlog/tiles.hpp"

namespace consentry {

// Within this time an entry is in its log, as receipts promise.
inline constexpr std::chrono::seconds merge_delay{60};

// A timestamp, and what shows that it is one of a log whose later checkpoint a verifier has.
struct StampedCheckpoint {
    std::uint64_t size = 0;
    std::string text;                     // that the authority stamped: a checkpoint without signatures
    std::string answer;                   // of the authority (RFC 3161), in DER
    std::vector<tlog::Hash> consistency;  // with the later checkpoint; empty if it is the same one
};

struct NewestStamp {
    std::optional<StampedCheckpoint> stamp;
    std::string lost;  // the key of the object if the store has lost it, or has another one; otherwise empty
};

struct FormerTree {
    tlog::Hash root{};
    std::vector<tlog::Hash> consistency;  // with the later tree; empty if they are the same, or this one is empty
};

struct PlacedEntry {
    std::uint64_t position = 0;
    Bytes entry;
};

class PublishedLog {
public:
    struct Options {
        std::string_view name;  // in the database: a literal
        storage::Area area = storage::Area::public_area;
        std::string folder;  // of its objects
        std::string origin;
        bool origin_is_given = false;  // otherwise a log that exists keeps its own
        // Not null: the public checkpoint waits for cosignatures, by this clock at most `cosigning_patience`.
        const Clock* cosigning_clock = nullptr;
    };
    static Options options_of(const LogClaim& claim, const Clock* cosigning_clock);
    // Half of what receipts promise: an unavailable witness never breaks the promise.
    static constexpr std::chrono::seconds cosigning_patience{30};
    // The references must outlive this object. `key` is Ed25519.
    PublishedLog(storage::Database& database, storage::ObjectStore& store, const crypto::PrivateKey& key,
                 Options options);

    // Creates the log or checks that this process may continue it, as far as the database alone can tell. Throws
    // LogRefused if the key or the origin is another one. Before open(), for a start without the object store.
    awaitable<void> check();
    // check(), and what needs the object store as well. Throws LogRefused if the database is older than what is
    // published, and Unavailable if the object store does not answer.
    awaitable<void> open();
    // Sequences and publishes all entries that wait when it begins, and rewrites a part of the tiles that the object
    // store has lost. Opens the log first if open() has not succeeded yet. Throws as open() does: what happens to the
    // database or the store meanwhile must not fork the log either.
    awaitable<void> work();

    // The public checkpoint, a signed note. Never goes back. With witnesses it is the latest cosigned one, unless their
    // cosignatures lag behind for too long. Throws Unavailable if the database has another text in its place.
    awaitable<std::string> checkpoint();
    // The bytes of a tile, or nullopt. The path is as tlog::tile_path() returns it. Throws Unavailable if the tile is
    // part of the log but the store has lost it; work() will rewrite it.
    awaitable<std::optional<std::string>> tile(std::string_view path);
    // The proof that the entry at this position is in the log; nullopt if it is not published yet.
    awaitable<std::optional<tlog::ProofFile>> prove(std::int64_t position, BytesView entry);
    // The same for a checkpoint that checkpoint() has returned, which may be followed by others meanwhile. Throws
    // Unavailable if the object store lacks tiles of that tree, or has others.
    awaitable<std::optional<tlog::ProofFile>> prove_in(std::string checkpoint, std::int64_t position, BytesView entry);
    // The same for several entries, all of which the checkpoint covers. Fetches each tile once, so neighbors are
    // cheap.
    awaitable<std::vector<tlog::ProofFile>> prove_all(std::string checkpoint, std::vector<PlacedEntry> entries);

    // For the gathering of cosignatures (cosigning.hpp).
    awaitable<LogState> state();
    // The log's first `size` entries, with the proof that the log begins with them at this checkpoint of it. Throws
    // Unavailable if the object store lacks tiles of that tree, or has others.
    awaitable<FormerTree> prove_former(std::uint64_t size, tlog::Checkpoint later);
    // The checkpoint must be one of this log, and its cosignatures verified.
    awaitable<void> keep_cosigned(CosignedCheckpoint cosigned);

    // For timestamps (timestamps.hpp); the first three are LogRepository's.
    awaitable<std::optional<std::string>> begin_stamp(TimePoint now, TimePoint limit, TimePoint settled);
    awaitable<void> keep_stamp(std::uint64_t size, std::string answer);
    awaitable<void> redate_stamp(TimePoint began, TimePoint instead);
    // The authority's answer for the checkpoint of this size; nullopt if there is none.
    awaitable<std::optional<std::string>> stamp(std::uint64_t size);
    // The newest timestamp of a checkpoint up to `checkpoint`, which checkpoint() has returned, if there is one. It
    // verifies, but anyone may have signed it.
    awaitable<NewestStamp> newest_stamp(tlog::Checkpoint checkpoint);

    std::string_view name() const { return options_.name; }
    // The name by which verifiers know the log, which it keeps when the service moves. Also before open() and check().
    awaitable<std::string> origin();
    // By which verifiers know the log. Requires check().
    const tlog::VerifierKey& verifier() const { return signer_.value().verifier(); }
    // Null before open() has succeeded. Signs as the log.
    const tlog::NoteSigner* signer() const { return opened_ ? &*signer_ : nullptr; }

private:
    static std::string sign(const tlog::NoteSigner& signer, std::uint64_t size, const tlog::Hash& root);
    std::string key_of(std::string_view path) const;
    void check_key(const LogState& known);
    awaitable<LogState> check_publication();  // returns what it has compared
    awaitable<void> check_extension(const tlog::Checkpoint& older, const LogState& known);
    awaitable<void> check_edge();
    awaitable<void> repair();
    awaitable<std::optional<std::string>> object(const tlog::TileId& id);
    awaitable<std::expected<tlog::TileHashes, std::string>> fetch(std::vector<tlog::Node> nodes, std::uint64_t size);
    // Signs a continuation of `checked`, which check_publication() has returned, whatever the database says by now.
    // Returns how many entries.
    awaitable<std::int64_t> publish_next(LogState checked);
    awaitable<void> put_tiles(const std::vector<tlog::Tile>& tiles);
    awaitable<void> put_checkpoint();
    awaitable<void> show_overdue();
    const std::string& shown(const LogState& known) const;
    void note_seen(std::uint64_t size);
    static std::size_t hash_of(const std::string& note) { return std::hash<std::string>{}(note); }
    [[noreturn]] void refuse_tiles(const std::string& why);
    awaitable<tlog::TileHashes> must_fetch(std::vector<tlog::Node> nodes);
    awaitable<void> forget_replaced(LogState known);
    awaitable<bool> erase(std::string_view path);  // false: the store refuses

    LogRepository repository_;
    storage::ObjectStore& store_;
    const crypto::PrivateKey key_;
    const Options options_;
    // Set by the first check(), before opened_. After an outage several tasks open the log at once, while others use
    // it.
    std::optional<tlog::NoteSigner> signer_;
    std::once_flag signer_is_set_;
    std::atomic<bool> opened_ = false;
    std::atomic<std::size_t> checked_ = 0;   // hash of the note that the store had or got at the last comparison
    std::atomic<std::uint64_t> seen_ = 0;    // size of the newest checkpoint that the store had or got
    std::atomic<std::size_t> verified_ = 0;  // hash of the note whose signature was verified last
    std::atomic<std::chrono::steady_clock::time_point> forget_after_ = std::chrono::steady_clock::time_point{};
    std::atomic<std::uint64_t> lost_stamp_ = 0;  // size of the checkpoint whose timestamp was reported as lost
    std::atomic<bool> tiles_are_damaged_ = false;
    const std::shared_ptr<std::atomic<bool>> is_repairing_ =
        std::make_shared<std::atomic<bool>>();  // guards the following
    std::optional<TileRepair> repair_;
    std::optional<LogRefused> damage_;  // why the tiles cannot be rewritten
};

// Reads the note of a checkpoint that the database keeps. Throws LogRefused if it is damaged.
tlog::Checkpoint stored_checkpoint(const std::string& note);

}  // namespace consentry
