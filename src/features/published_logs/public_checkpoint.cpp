// Which checkpoint everybody is shown: without witnesses the latest one; with them the latest one that they have
// cosigned, unless they lag behind for too long.
#include <utility>

#include "base/error.hpp"
#include "features/published_logs/published_log.hpp"

namespace consentry {
namespace {

constexpr std::string_view note_type = "text/plain; charset=utf-8";

}  // namespace

const std::string& PublishedLog::shown(const LogState& known) const {
    const bool waits = options_.cosigning_clock != nullptr && !known.public_checkpoint.empty();
    return waits ? known.public_checkpoint : known.checkpoint;
}

awaitable<std::string> PublishedLog::checkpoint() {
    const LogState known = co_await state();
    const std::string& note = shown(known);
    if (opened_ && hash_of(note) != verified_) {
        const auto verified = tlog::open_checkpoint(note, signer_->verifier());
        if (!verified) throw Unavailable("the public checkpoint in the database is not one of the log");
        verified_ = hash_of(note);
    }
    co_return note;
}

void PublishedLog::note_seen(std::uint64_t size) {
    for (std::uint64_t seen = seen_; seen < size && !seen_.compare_exchange_weak(seen, size);) {
    }
}

// A process that was slow may overwrite a newer checkpoint. It looks again, so the newest is the last one written. An
// older one in the database than this process has seen in the store was put there by other means: what others have seen
// is all that a database which goes back can be compared with.
awaitable<void> PublishedLog::put_checkpoint() {
    std::string written;
    for (;;) {
        const LogState known = co_await state();
        if (shown(known) == written) co_return;
        const auto next = own_checkpoint(shown(known), signer_->verifier());
        if (next.size < seen_) co_return;
        written = shown(known);
        co_await store_.put(options_.area, key_of(checkpoint_object), written, std::string(note_type));
        note_seen(next.size);
    }
}

awaitable<void> PublishedLog::keep_cosigned(CosignedCheckpoint cosigned) {
    const bool is_better = co_await repository_.keep_cosigned(std::move(cosigned));
    if (is_better) co_await put_checkpoint();
}

// Looks before it writes: most of the time there is nothing to do. What is shown replaces the only copy that an
// attacker in the database cannot write to, so it is compared with that copy first.
awaitable<void> PublishedLog::show_overdue() {
    if (options_.cosigning_clock == nullptr) co_return;
    const TimePoint now = options_.cosigning_clock->now();
    const TimePoint limit = now - cosigning_patience;
    const TimePoint latest = now + cosigning_patience;
    const bool is_due = co_await repository_.is_overdue(limit, latest);
    if (!is_due) co_return;
    LogState checked = co_await check_publication();
    const bool is_shown = co_await repository_.show_uncosigned(std::move(checked), limit, latest);
    if (is_shown) co_await put_checkpoint();
}

}  // namespace consentry
