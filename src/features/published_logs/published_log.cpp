#include "features/published_logs/published_log.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/both.hpp"
#include "features/published_logs/tile_objects.hpp"
#include "tlog/lines.hpp"

namespace consentry {
namespace {

// Four full bundles: a statement that lasts a few milliseconds, and a few dozen hashes behind it.
constexpr std::int64_t entries_at_once = 1'024;

// A publication every second adds two partial tiles or three: there is time to erase them one after the other.
constexpr std::chrono::seconds erasing_time{1};   // in a turn
constexpr std::chrono::minutes erasing_pause{1};  // after a failure
constexpr std::size_t replaced_max = 4'096;       // to be erased; any more stay in the store for good

// The entries at the beginning of the bundle that grows are published; the edge of the tree begins with their hashes.
void check_growing_bundle(const LogState& known, std::uint64_t first, std::span<const Bytes> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const tlog::Hash leaf = tlog::leaf_hash(entries[i]);
        const auto published =
            to_array<tlog::Hash>(BytesView(known.edge).subspan(i * sizeof(tlog::Hash), sizeof(tlog::Hash))).value();
        if (leaf != published)
            throw LogRefused(
                fmt::format("The entry at position {} in the database is not the one that the log has "
                            "published: it has been changed. Restore the table log_entries from a "
                            "backup, then restart.",
                            first + i));
    }
}

std::vector<tlog::Tile> bundles_of(std::uint64_t from, std::uint64_t to, const std::vector<Bytes>& entries) {
    const std::uint64_t first = from - from % tlog::tile_width;
    std::vector<tlog::Tile> out;
    for (const tlog::TileId& id : tlog::new_entry_bundles(from, to)) {
        const auto begin = static_cast<std::size_t>(id.index * tlog::tile_width - first);
        auto bundle = tlog::entry_bundle(std::span(entries).subspan(begin, id.width));
        if (!bundle) throw std::logic_error(bundle.error());
        out.push_back({id, std::move(*bundle)});
    }
    return out;
}

bool is_replaced(std::string_view partial_tile, std::int64_t size) {
    const auto id = tlog::parse_tile_path(partial_tile);
    if (!id) throw LogRefused("The database's log is damaged: " + id.error() + ". Restore it from a backup.");
    const unsigned shift = tlog::tile_height * static_cast<unsigned>(std::max(id->level, 0));
    return (static_cast<std::uint64_t>(size) >> shift) / tlog::tile_width > id->index;
}

// The references and the tiles must outlive the coroutine. Returns true.
awaitable<bool> put_all(storage::ObjectStore& store, const PublishedLog::Options& options,
                        std::span<const tlog::Tile> tiles) {
    for (const tlog::Tile& tile : tiles) co_await put_tile(store, options.area, options.folder, tile);
    co_return true;
}

}  // namespace

PublishedLog::PublishedLog(storage::Database& database, storage::ObjectStore& store, const crypto::PrivateKey& key,
                           Options options)
    : repository_(database, options.name), store_(store), key_(key), options_(std::move(options)) {}

PublishedLog::Options PublishedLog::options_of(const LogClaim& claim, const Clock* cosigning_clock) {
    return {.name = claim.place.name,
            .area = claim.place.area,
            .folder = claim.place.folder,
            .origin = claim.origin,
            .origin_is_given = claim.origin_is_given,
            .cosigning_clock = cosigning_clock};
}

std::string PublishedLog::sign(const tlog::NoteSigner& signer, std::uint64_t size, const tlog::Hash& root) {
    tlog::Note note{.text = tlog::format_checkpoint({signer.verifier().name(), size, root}), .signatures = {}};
    note.signatures.push_back(signer.sign(note.text));
    return tlog::format_note(note);
}

std::string PublishedLog::key_of(std::string_view path) const { return options_.folder + "/" + std::string(path); }

awaitable<LogState> PublishedLog::state() {
    auto found = co_await repository_.find_state();
    if (!found) throw LogRefused("The database has lost the state of its log. Restore it from a backup.");
    co_return std::move(*found);
}

awaitable<std::string> PublishedLog::origin() {
    if (opened_) co_return signer_->verifier().name();
    // Another thread may be checking the log, so this asks the database.
    const auto known = co_await repository_.find_state();
    if (!known) co_return options_.origin;
    co_return stored_verifier_key(known->verifier_key).name();
}

void PublishedLog::check_key(const LogState& known) {
    auto signer = signer_for(known.verifier_key, options_.origin, options_.origin_is_given, key_);
    std::call_once(signer_is_set_, [&] { signer_.emplace(std::move(signer)); });
    require_whole(known, signer_->verifier());
}

awaitable<void> PublishedLog::check() {
    auto known = co_await repository_.find_state();
    if (!known) {
        const auto signer = signer_for(options_.origin, key_);
        co_await repository_.create(signer.verifier().text(), sign(signer, 0, tlog::empty_root()));
        known = co_await repository_.find_state();
    }
    check_key(known.value());
}

awaitable<void> PublishedLog::open() {
    co_await check();
    co_await check_publication();
    co_await check_edge();
    opened_ = true;
}

awaitable<void> PublishedLog::work() {
    if (!opened_) co_await open();
    LogState seen;
    bool has_published = false;
    for (;;) {
        co_await show_overdue();
        const bool has_work = co_await repository_.has_work();
        seen = co_await state();
        // Before each publication, because a database that fails over to an older copy must not give out positions for
        // the second time; after what is shown has changed, because the instance that published it or had it
        // cosigned may have been killed, or have met an outage, before it wrote the checkpoint.
        LogState known;
        if (has_work || hash_of(shown(seen)) != checked_) known = co_await check_publication();
        if (!has_work) break;
        // If another process was faster, it has sequenced the same entries.
        const bool is_next = known.size == known.published;
        if (is_next) co_await repository_.sequence(known.size, entries_at_once);
        const std::int64_t count = co_await publish_next(std::move(known));
        has_published = true;
        // Entries that come meanwhile wait for the next turn: a steady stream would otherwise cost a publication for
        // every few of them, and the requests behind them the time of its commits.
        if (is_next && count < entries_at_once) {
            co_await show_overdue();
            break;
        }
    }
    co_await forget_replaced(has_published ? co_await state() : std::move(seen));
    co_await repair();
}

awaitable<std::int64_t> PublishedLog::publish_next(LogState checked) {
    const LogState known = co_await state();
    const std::int64_t end = std::min(known.size, checked.published + entries_at_once);
    if (end <= checked.published) co_return 0;
    const auto from = static_cast<std::uint64_t>(checked.published);
    const auto to = static_cast<std::uint64_t>(end);
    const std::uint64_t first = from - from % tlog::tile_width;  // the last bundle grows
    const auto entries = co_await repository_.entries(static_cast<std::int64_t>(first), static_cast<std::int64_t>(to));
    check_growing_bundle(checked, first, std::span(entries).first(from - first));
    std::vector<tlog::Hash> leaves;
    for (std::size_t i = from - first; i < entries.size(); ++i) leaves.push_back(tlog::leaf_hash(entries[i]));
    tlog::GrowingTree tree = tree_of(checked);
    std::vector<tlog::Tile> tiles = tree.append(leaves);
    std::ranges::move(bundles_of(from, to, entries), std::back_inserter(tiles));
    co_await put_tiles(tiles);

    LogState next;
    next.published = static_cast<std::int64_t>(to);
    next.edge = tree.edge();
    next.checkpoint = sign(*signer_, to, tree.root());
    next.partial_tiles = known.partial_tiles;
    for (const tlog::Tile& tile : tiles)
        if (!tile.id.is_full()) next.partial_tiles.append(tlog::tile_path(tile.id)).append("\n");
    std::optional<TimePoint> uncosigned_at;
    if (options_.cosigning_clock != nullptr) uncosigned_at = options_.cosigning_clock->now();
    const bool is_first = co_await repository_.publish(checked.published, std::move(next), uncosigned_at);
    if (is_first) co_await put_checkpoint();
    co_return static_cast<std::int64_t>(to - from);
}

// In any order, so two at a time: most of a publication is waiting for the store.
awaitable<void> PublishedLog::put_tiles(const std::vector<tlog::Tile>& tiles) {
    const std::span all(tiles);
    co_await both(put_all(store_, options_, all.first(all.size() / 2)),
                  put_all(store_, options_, all.subspan(all.size() / 2)));
}

awaitable<bool> PublishedLog::erase(std::string_view path) {
    try {
        co_await store_.erase(options_.area, key_of(path));
        co_return true;
    } catch (const Unavailable&) {
        co_return false;
    }
}

// Erases partial tiles that full ones have replaced, as the specification allows. That is not urgent, so it follows the
// publication, takes little time in a turn, and waits after a failure.
awaitable<void> PublishedLog::forget_replaced(LogState known) {
    using std::chrono::steady_clock;
    const auto begin = steady_clock::now();
    if (begin < forget_after_.load()) co_return;
    std::string rest;
    std::size_t replaced = 0;
    bool goes_on = true;
    tlog::LineReader lines(known.partial_tiles);
    while (const auto path = lines.next()) {
        bool is_kept = true;
        if (is_replaced(*path, known.published)) {
            goes_on = goes_on && steady_clock::now() - begin < erasing_time;
            if (goes_on && !co_await erase(*path)) {
                goes_on = false;
                forget_after_ = steady_clock::now() + erasing_pause;
            }
            is_kept = !goes_on && ++replaced <= replaced_max;
        }
        if (is_kept) rest.append(*path).append("\n");
    }
    if (rest.size() < known.partial_tiles.size()) co_await repository_.keep_partial_tiles(known, std::move(rest));
}

awaitable<std::optional<std::string>> PublishedLog::object(const tlog::TileId& id) {
    auto found = co_await store_.get(options_.area, key_of_tile(options_.folder, id), tlog::tile_bytes_max);
    if (!found) co_return std::nullopt;
    co_return std::move(found->bytes);
}

awaitable<std::optional<std::string>> PublishedLog::tile(std::string_view path) {
    const auto id = tlog::parse_tile_path(path);
    if (!id) co_return std::nullopt;
    auto bytes = co_await object(*id);
    if (bytes) co_return bytes;
    const LogState known = co_await state();
    if (!is_tile_of(*id, static_cast<std::uint64_t>(known.published))) co_return std::nullopt;
    bytes = co_await object(*id);  // published since the first look
    if (bytes) co_return bytes;
    // An instance of version 0.1 erases a partial tile before it publishes the full one.
    if (!id->is_full() && co_await object({.level = id->level, .index = id->index})) co_return std::nullopt;
    tiles_are_damaged_ = true;
    throw Unavailable("the object store lacks tiles of the log");
}

}  // namespace consentry
