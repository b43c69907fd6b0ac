#include "features/published_logs/comparison.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "crypto/digest.hpp"
#include "crypto/timestamp.hpp"
#include "features/published_logs/stamp_objects.hpp"
#include "features/published_logs/tile_objects.hpp"
#include "tlog/growing_tree.hpp"
#include "tlog/note.hpp"

namespace consentry {
namespace {

using tlog::Hash;
using tlog::Tile;
using tlog::TileId;

// Whole tiles, as the sequencer writes them.
constexpr std::uint64_t compared_at_once = 4 * std::uint64_t{tlog::tile_width};
// Entries that wait for their publication: about five seconds of the sequencer. Further ones are not examined.
constexpr std::int64_t waiting_max = 100'000;

class Comparison {
public:
    Comparison(storage::Database& database, storage::ObjectStore& store, LogPlace place,
               std::optional<tlog::VerifierKey> trusted, PortionVisitor visit, ComparisonProgress progress)
        : repository_(database, place.name),
          store_(store),
          place_(std::move(place)),
          key_(std::move(trusted)),
          visit_(std::move(visit)),
          progress_(std::move(progress)) {}

    awaitable<LogFindings> run();

private:
    void tell(LogFault fault, std::string text) { out_.found.push_back({fault, {}, std::move(text)}); }
    void choose_key();
    std::optional<tlog::Checkpoint> opened(const std::string& note, std::string_view where);
    void choose_checkpoint();
    void check_state();
    void check_public_checkpoint();
    void note_stamped_root(std::uint64_t from, std::span<const Hash> leaves);
    awaitable<void> check_stamp();
    awaitable<void> compare_portion(std::uint64_t from, std::uint64_t to);
    awaitable<std::optional<Tile>> fetch(TileId id);
    awaitable<std::vector<Hash>> bundle(TileId id);
    awaitable<std::vector<Hash>> hashes(TileId id);
    awaitable<void> compare_upper_tiles(std::vector<Tile> grown, bool is_end);
    void tell_lacking(std::int64_t from, std::int64_t to);
    awaitable<void> look_behind();
    void judge();

    LogRepository repository_;
    storage::ObjectStore& store_;
    const LogPlace place_;
    std::optional<tlog::VerifierKey> key_;
    const PortionVisitor visit_;
    const ComparisonProgress progress_;

    LogFindings out_;
    std::optional<std::string> object_note_;
    std::optional<LogState> state_;
    std::optional<tlog::Checkpoint> stored_checkpoint_;
    std::optional<tlog::Checkpoint> published_checkpoint_;
    std::optional<tlog::Checkpoint> earlier_;  // the older of the two
    std::uint64_t size_ = 0;                   // of the tree that is compared
    std::optional<Hash> stamped_root_;         // of the tree that the newest timestamp is about, if it is known
    LogDifferences differences_;
    // What the tiles above the lowest ones follow from; nullopt once an entry is unknown.
    std::optional<tlog::GrowingTree> tree_ = tlog::GrowingTree();
    std::map<std::pair<int, std::uint64_t>, Tile> upper_;  // by level and index: not compared yet
};

void Comparison::choose_key() {
    if (!state_) return tell(LogFault::checkpoint, "The database has lost the state of the log.");
    if (key_ && key_->text() == state_->verifier_key) return;
    if (key_) return tell(LogFault::checkpoint, "The database names a verifier key other than that of the log.");
    auto key = tlog::VerifierKey::parse(state_->verifier_key);
    if (!key) return tell(LogFault::checkpoint, "The verifier key in the database is damaged: " + key.error() + ".");
    key_ = std::move(*key);
}

std::optional<tlog::Checkpoint> Comparison::opened(const std::string& note, std::string_view where) {
    if (!key_) return std::nullopt;
    auto checkpoint = tlog::open_checkpoint(note, *key_);
    if (checkpoint) return checkpoint->checkpoint;
    tell(LogFault::checkpoint,
         fmt::format("The checkpoint in the {} is not one of the log: {}.", where, checkpoint.error()));
    return std::nullopt;
}

// The newer of the two. Others have seen the published one, which the database has to contain.
void Comparison::choose_checkpoint() {
    const auto stored = state_ ? opened(state_->checkpoint, "database") : std::nullopt;
    const auto published = object_note_ ? opened(*object_note_, "object store") : std::nullopt;
    if (!object_note_) tell(LogFault::object, "The object store lacks the checkpoint.");
    const bool is_ahead = published && (!stored || stored->size < published->size);
    if (is_ahead && stored)
        tell(LogFault::checkpoint,
             fmt::format("The published log has {} entries, but the checkpoint in the database only {}.",
                         published->size, stored->size));
    if (stored && published && stored->size == published->size && stored->root != published->root)
        tell(LogFault::checkpoint, fmt::format("The log has two checkpoints of {} entries.", stored->size));
    out_.checkpoint = is_ahead ? published : stored;
    earlier_ = is_ahead ? stored : published;
    if (earlier_) differences_ = LogDifferences(earlier_->size);
    stored_checkpoint_ = stored;
    published_checkpoint_ = published;
}

void Comparison::check_state() {
    if (!state_ || !stored_checkpoint_) return;
    if (static_cast<std::uint64_t>(state_->published) != stored_checkpoint_->size || state_->size < state_->published)
        tell(LogFault::checkpoint,
             fmt::format("The state of the log in the database, {} of {} entries published, does not fit its "
                         "checkpoint, which has {}.",
                         state_->published, state_->size, stored_checkpoint_->size));
    const auto edge = tlog::GrowingTree::restore(stored_checkpoint_->size, state_->edge);
    if (!edge || edge->root() != stored_checkpoint_->root)
        tell(LogFault::checkpoint, "The tree in the database differs from its checkpoint.");
    check_public_checkpoint();
}

// Witnesses hold it back, so nobody would miss later entries that are never shown.
void Comparison::check_public_checkpoint() {
    if (state_->public_checkpoint.empty()) return;  // a former version created the log
    const auto shown = opened(state_->public_checkpoint, "database that everybody is shown");
    if (!shown) return;
    if (std::cmp_not_equal(shown->size, state_->public_size) || shown->size > stored_checkpoint_->size)
        tell(LogFault::checkpoint,
             fmt::format("The public checkpoint in the database has {} entries, but the database says {}, and {} are "
                         "published.",
                         shown->size, state_->public_size, stored_checkpoint_->size));
    if (shown->size == stored_checkpoint_->size && shown->root != stored_checkpoint_->root)
        tell(LogFault::checkpoint, fmt::format("The log has two checkpoints of {} entries.", shown->size));
    // The database has each before the object store, and was read later.
    if (published_checkpoint_ && published_checkpoint_->size > shown->size &&
        published_checkpoint_->size <= stored_checkpoint_->size)
        tell(LogFault::checkpoint,
             fmt::format("The public checkpoint in the database has {} entries, but that in the object store {}.",
                         shown->size, published_checkpoint_->size));
}

void Comparison::note_stamped_root(std::uint64_t from, std::span<const Hash> leaves) {
    const auto size = static_cast<std::uint64_t>(state_ ? state_->stamped_size : 0);
    if (size <= from || size - from > leaves.size()) return;
    tlog::GrowingTree stamped = *tree_;
    stamped.append(leaves.first(size - from));
    stamped_root_ = stamped.root();
}

awaitable<void> Comparison::check_stamp() {
    if (!state_ || !stored_checkpoint_ || state_->stamped_size == 0) co_return;
    const auto size = static_cast<std::uint64_t>(state_->stamped_size);
    if (state_->stamped_size < 0 || size > stored_checkpoint_->size)
        co_return tell(LogFault::checkpoint,
                       fmt::format("The database says that the first {} entries have a timestamp, but the log has {}.",
                                   state_->stamped_size, stored_checkpoint_->size));
    const std::string name = stamp_name(size);
    const auto found = co_await store_.get(place_.area, place_.folder + "/" + name, stamp_bytes_max);
    if (!found) co_return tell(LogFault::object, fmt::format("The object store lacks {}.", name));
    if (!stamped_root_) co_return;
    const std::string text = tlog::format_checkpoint({stored_checkpoint_->origin, size, *stamped_root_});
    const auto verified = crypto::verify_timestamp(as_bytes(found->bytes), crypto::sha256(text), {});
    if (!verified)
        tell(LogFault::object,
             fmt::format("{} is not a timestamp of the first {} entries: {}.", name, size, verified.error()));
}

// A full tile may have replaced the partial one meanwhile; the result then has its width.
awaitable<std::optional<Tile>> Comparison::fetch(TileId id) {
    const TileId full{.level = id.level, .index = id.index};
    for (const TileId& candidate : {id, full}) {
        const auto found =
            co_await store_.get(place_.area, key_of_tile(place_.folder, candidate), tlog::tile_bytes_max);
        if (!found) continue;
        const BytesView view = as_bytes(found->bytes);
        co_return Tile{candidate, Bytes(view.begin(), view.end())};
    }
    const bool is_packed = id.is_full() && id.level == tlog::entry_level;  // damaged ones cannot be unpacked
    tell(LogFault::object,
         fmt::format("The object store lacks {}{}.", tlog::tile_path(id), is_packed ? ", or its copy is damaged" : ""));
    co_return std::nullopt;
}

awaitable<std::vector<Hash>> Comparison::bundle(TileId id) {
    std::vector<Hash> out;
    const auto tile = co_await fetch(id);
    if (!tile) co_return out;
    const auto entries = tlog::parse_entry_bundle(tile->bytes, tile->id.width);
    if (!entries) {
        tell(LogFault::object, fmt::format("{} is damaged: {}.", tlog::tile_path(tile->id), entries.error()));
        co_return out;
    }
    for (const BytesView entry : std::span(*entries).first(id.width)) out.push_back(tlog::leaf_hash(entry));
    co_return out;
}

awaitable<std::vector<Hash>> Comparison::hashes(TileId id) {
    std::vector<Hash> out;
    const auto tile = co_await fetch(id);
    if (!tile) co_return out;
    if (tile->bytes.size() != tile->id.width * sizeof(Hash)) {
        tell(LogFault::object,
             fmt::format("{} is damaged: its length does not fit its hashes.", tlog::tile_path(tile->id)));
        co_return out;
    }
    for (std::size_t i = 0; i < id.width; ++i)
        out.push_back(to_array<Hash>(BytesView(tile->bytes).subspan(i * sizeof(Hash), sizeof(Hash))).value());
    co_return out;
}

// `from` is the first entry of a tile.
awaitable<void> Comparison::compare_portion(std::uint64_t from, std::uint64_t to) {
    const auto stored = co_await repository_.existing(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to));
    if (visit_) co_await visit_(stored);
    std::vector<LogCopies> copies(to - from);
    for (const StoredEntry& entry : stored)
        copies[static_cast<std::uint64_t>(entry.position) - from].database = tlog::leaf_hash(entry.entry);
    for (const TileId& id : tlog::new_entry_bundles(from, to)) {
        const std::uint64_t first = id.index * tlog::tile_width - from;
        const auto in_bundle = co_await bundle(id);
        for (std::size_t i = 0; i < in_bundle.size(); ++i) copies[first + i].bundle = in_bundle[i];
        const auto in_tile = co_await hashes({.level = 0, .index = id.index, .width = id.width});
        for (std::size_t i = 0; i < in_tile.size(); ++i) copies[first + i].tile = in_tile[i];
    }
    std::vector<Hash> leaves;
    for (const LogCopies& one : copies) {
        differences_.add(one);
        if (differences_.agreed()) leaves.push_back(*differences_.agreed());
    }
    if (leaves.size() < copies.size()) tree_.reset();
    if (tree_) note_stamped_root(from, leaves);
    if (tree_) co_await compare_upper_tiles(tree_->append(leaves), to == size_);
}

// A tile that a later portion completes is compared then.
awaitable<void> Comparison::compare_upper_tiles(std::vector<Tile> grown, bool is_end) {
    for (Tile& tile : grown)
        if (tile.id.level > 0) upper_[{tile.id.level, tile.id.index}] = std::move(tile);
    for (auto at = upper_.begin(); at != upper_.end();) {
        const Tile& tile = at->second;
        if (!tile.id.is_full() && !is_end) {
            ++at;
            continue;
        }
        auto published = co_await fetch(tile.id);
        if (published) published->bytes.resize(tile.bytes.size());
        if (published && published->bytes != tile.bytes)
            tell(LogFault::object, fmt::format("{} differs from the tiles below it.", tlog::tile_path(tile.id)));
        at = upper_.erase(at);
    }
}

void Comparison::tell_lacking(std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    out_.found.push_back({LogFault::missing, static_cast<std::uint64_t>(from),
                          to - from == 1
                              ? fmt::format("Entry {} is missing from the database.", from)
                              : fmt::format("Entries {} to {} are missing from the database.", from, to - 1)});
}

// Entries whose publication is due, and those that do not belong to the log.
awaitable<void> Comparison::look_behind() {
    const auto rest = co_await repository_.existing_from(static_cast<std::int64_t>(size_), waiting_max);
    if (!rest) co_return;
    if (visit_ && !rest->entries.empty()) co_await visit_(rest->entries);
    auto next = static_cast<std::int64_t>(size_);
    for (const StoredEntry& entry : rest->entries) {
        const bool is_due = entry.position >= 0 && entry.position < rest->size;
        differences_.add_behind(entry.position, tlog::leaf_hash(entry.entry), is_due);
        if (!is_due) continue;
        tell_lacking(next, entry.position);
        next = entry.position + 1;
    }
    if (std::ssize(rest->entries) < waiting_max) tell_lacking(next, rest->size);
}

void Comparison::judge() {
    const Hash root = out_.checkpoint ? out_.checkpoint->root : Hash{};
    if (out_.checkpoint && !differences_.knows(root))
        tell(LogFault::checkpoint,
             "Neither the database nor the object store has the entries that the checkpoint signs.");
    if (earlier_ && differences_.root_at() && *differences_.root_at() != earlier_->root)
        tell(LogFault::checkpoint,
             fmt::format("The checkpoint of {} entries does not fit the first {} entries of the log.", earlier_->size,
                         earlier_->size));
    auto found = differences_.findings(root);
    std::ranges::move(out_.found, std::back_inserter(found));
    out_.found = std::move(found);
    std::ranges::sort(out_.found, {}, [](const LogFinding& one) {
        return std::tuple(one.position.value_or(std::numeric_limits<std::uint64_t>::max()), one.fault,
                          std::string_view(one.text));
    });
    out_.unnamed = differences_.unnamed();
}

awaitable<LogFindings> Comparison::run() {
    // The object first: if another process publishes meanwhile, the database is the newer one.
    auto object = co_await store_.get(place_.area, place_.folder + "/checkpoint", tlog::note_bytes_max);
    if (object) object_note_ = std::move(object->bytes);
    state_ = co_await repository_.find_state();
    if (!state_ && !object_note_) {
        if (key_) tell(LogFault::checkpoint, "The database and the object store have no log.");
        co_return std::move(out_);
    }
    choose_key();
    choose_checkpoint();
    check_state();
    if (out_.checkpoint)
        size_ = out_.checkpoint->size;
    else if (state_)
        size_ = static_cast<std::uint64_t>(std::max<std::int64_t>(state_->published, 0));
    for (std::uint64_t from = 0; from < size_; from += compared_at_once) {
        const std::uint64_t to = std::min(from + compared_at_once, size_);
        co_await compare_portion(from, to);
        if (progress_) progress_(to, size_);
    }
    co_await check_stamp();
    co_await look_behind();
    judge();
    co_return std::move(out_);
}

}  // namespace

awaitable<LogFindings> compare_log(storage::Database& database, storage::ObjectStore& store, LogPlace place,
                                   std::optional<tlog::VerifierKey> trusted, PortionVisitor visit,
                                   ComparisonProgress progress) {
    Comparison comparison(database, store, std::move(place), std::move(trusted), std::move(visit), std::move(progress));
    auto out = co_await comparison.run();
    co_return out;
}

}  // namespace consentry
