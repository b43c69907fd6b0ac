// The part of Connection that concerns the write-ahead log: its changes, its size, and copying it into the database.
#include <atomic>
#include <thread>

#include <sqlite3.h>

#include "storage/sqlite/connection.hpp"

namespace consentry::storage::sqlite {

bool Connection::has_moved_on(LogState& seen) {
    // The index begins with two copies of its header (sqlite.org/walformat.html section 2.2): the number of frames in
    // the log, a change counter, checksums and salts. A commit rewrites both, the first copy last, and only then
    // becomes visible. If all words of the first copy are unchanged, there was no commit. A half-written copy differs
    // and costs one query.
    if (log_index_ == nullptr) {
        constexpr int region_bytes = 32'768;
        sqlite3_file* file = nullptr;
        void volatile* mapped = nullptr;
        if (sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) !=
                SQLITE_OK ||
            file == nullptr || file->pMethods == nullptr || file->pMethods->iVersion < 2)
            return true;
        // Any read of this connection has mapped it already; this call neither extends nor creates it.
        if (file->pMethods->xShmMap(file, 0, region_bytes, 0, &mapped) != SQLITE_OK || mapped == nullptr) return true;
        log_index_ = static_cast<const volatile std::uint32_t*>(mapped);
    }
    bool moved = false;
    for (std::size_t i = 0; i < seen.words.size(); ++i) {
        const std::uint32_t word = log_index_[i];
        moved |= word != seen.words[i];
        seen.words[i] = word;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return moved;
}

void Connection::copy_log() { checkpoint(SQLITE_CHECKPOINT_PASSIVE); }

Connection::LogEmptied Connection::empty_log(std::chrono::milliseconds wait) {
    // SQLite would wait for the slot of one reader, and the next reader may take that slot at once: two readers can
    // keep it busy between them forever. So it does not wait here. Each attempt looks at all readers anew.
    busy_timeout_ = {};
    const auto deadline = std::chrono::steady_clock::now() + wait;
    Copied copied = checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
    const bool same_reader = copied.frames >= 0 && copied.frames == copied_frames_;
    while (!copied.whole && !same_reader && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        copied = checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
    }
    copied_frames_ = copied.whole ? -1 : copied.frames;
    busy_timeout_ = options_.busy_timeout;
    if (copied.whole) return LogEmptied::yes;
    return same_reader ? LogEmptied::no_same_reader : LogEmptied::no;
}

// Not whole if readers or writers were in the way.
Connection::Copied Connection::checkpoint(int mode) {
    int in_log = -1;
    int copied = -1;
    const int result = sqlite3_wal_checkpoint_v2(db_.get(), "main", mode, &in_log, &copied);
    const bool is_busy = (result & 0xFF) == SQLITE_BUSY || (result & 0xFF) == SQLITE_LOCKED;
    if (result != SQLITE_OK && !is_busy) fail(result);
    return {.whole = !is_busy && in_log == copied, .frames = copied};
}

int Connection::on_commit(void* self, sqlite3*, const char*, int frames) {
    static_cast<Connection*>(self)->wal_frames_ = frames;
    return SQLITE_OK;
}

}  // namespace consentry::storage::sqlite
