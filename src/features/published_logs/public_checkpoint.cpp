// Which checkpoint everybody is shown: without witnesses the latest one; with them the latest one that they have
// cosigned, unless they lag behind for too long.
#include <utility>

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
    co_return shown(known);
}

// A process that was slow may overwrite a newer checkpoint. It looks again, so the newest is the last one written.
awaitable<void> PublishedLog::put_checkpoint() {
    std::string written;
    for (;;) {
        const LogState known = co_await state();
        if (shown(known) == written) co_return;
        written = shown(known);
        co_await store_.put(options_.area, key_of(checkpoint_object), written, std::string(note_type));
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
