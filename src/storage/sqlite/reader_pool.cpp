#include "storage/sqlite/reader_pool.hpp"

#include <atomic>
#include <utility>

namespace consentry::storage::sqlite {

// The readers that one thread has borrowed, from every pool in the process (tests hold several).
struct ReaderPool::ThreadSlots {
    struct Slot {
        std::uint64_t pool_id;
        std::weak_ptr<ReaderPool> pool;
        Reader* reader;
    };
    std::vector<Slot> slots;

    ThreadSlots() = default;
    ThreadSlots(const ThreadSlots&) = delete;
    ThreadSlots& operator=(const ThreadSlots&) = delete;
    ~ThreadSlots() {
        for (const Slot& slot : slots) {
            if (const auto pool = slot.pool.lock()) pool->give_back(*slot.reader);
        }
    }
};

std::shared_ptr<ReaderPool> ReaderPool::make(ConnectionOptions options) {
    return std::shared_ptr<ReaderPool>(new ReaderPool(std::move(options)));
}

ReaderPool::ReaderPool(ConnectionOptions options)
    : id_([] {
          static std::atomic<std::uint64_t> last{0};
          return ++last;
      }()),
      options_(std::move(options)) {}

Reader& ReaderPool::of_this_thread() {
    thread_local ThreadSlots mine;
    for (const auto& slot : mine.slots) {
        if (slot.pool_id == id_) return *slot.reader;
    }
    std::erase_if(mine.slots, [](const auto& slot) { return slot.pool.expired(); });
    Reader& reader = lend();
    mine.slots.push_back({id_, weak_from_this(), &reader});
    return reader;
}

Reader& ReaderPool::lend() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            Reader* reader = idle_.back();
            idle_.pop_back();
            return *reader;
        }
    }
    auto fresh = std::make_unique<Reader>(options_);  // reads the file, so not under the lock
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(fresh));
    idle_.reserve(all_.size());  // so that give_back() cannot fail
    return *all_.back();
}

void ReaderPool::give_back(Reader& reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(&reader);
}

}  // namespace consentry::storage::sqlite
