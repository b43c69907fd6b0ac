#include "crypto/argon2/arena.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <sys/mman.h>

namespace consentry::crypto::argon2 {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

struct ThreadMemory {
    std::size_t blocks_max = 0;
    std::optional<Arena> arena;
};
thread_local ThreadMemory thread_memory;

}  // namespace

std::optional<Arena> Arena::map(std::size_t blocks) {
    if (blocks == 0 || blocks > std::numeric_limits<std::size_t>::max() / sizeof(Block) / 2) return std::nullopt;
    const bool is_huge = blocks * sizeof(Block) >= huge_page;
    // The last huge page is needed in full, and alignment takes the place of up to one more.
    const std::size_t bytes = is_huge ? rounded_up(blocks * sizeof(Block), huge_page) : blocks * sizeof(Block);
    const std::size_t mapping_bytes = is_huge ? bytes + huge_page : bytes;
    void* mapping = mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return std::nullopt;
    auto* begin = static_cast<char*>(mapping);
    const auto address = reinterpret_cast<std::uintptr_t>(mapping);
    if (is_huge) begin += rounded_up(address, huge_page) - address;
    // Advice that an old kernel does not know changes nothing for the hash. No page exists yet: MAP_POPULATE would have
    // taken ordinary ones.
    if (is_huge) madvise(begin, bytes, MADV_HUGEPAGE);
    madvise(begin, bytes, MADV_DONTDUMP);
    madvise(begin, bytes, MADV_WIPEONFORK);
    Arena out(mapping, mapping_bytes, reinterpret_cast<Block*>(begin), bytes / sizeof(Block));
    out.is_locked_ = mlock(begin, bytes) == 0;
    return out;
}

Arena::Arena(void* mapping, std::size_t mapping_bytes, Block* blocks, std::size_t capacity)
    : mapping_(mapping), mapping_bytes_(mapping_bytes), blocks_(blocks), capacity_(capacity) {}

Arena::Arena(Arena&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(other.mapping_bytes_),
      blocks_(other.blocks_),
      capacity_(other.capacity_),
      used_(std::exchange(other.used_, 0)),
      is_locked_(other.is_locked_) {}

Arena::~Arena() {
    wipe();
    if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

std::span<Block> Arena::use(std::size_t blocks) {
    if (blocks > capacity_) return {};
    if (blocks > used_) used_ = blocks;
    return {blocks_, blocks};
}

void Arena::wipe() noexcept {
    if (used_ > 0) explicit_bzero(blocks_, used_ * sizeof(Block));
    used_ = 0;
}

void keep_arena(std::size_t blocks) noexcept {
    if (thread_memory.blocks_max == blocks) return;
    thread_memory.arena.reset();
    thread_memory.blocks_max = blocks;
}

void wipe_arena() noexcept {
    if (thread_memory.arena) thread_memory.arena->wipe();
}

Lease::Lease(std::size_t blocks) {
    ThreadMemory& memory = thread_memory;
    if (blocks <= memory.blocks_max) {
        if (!memory.arena) {
            if (auto mapped = Arena::map(memory.blocks_max)) memory.arena.emplace(std::move(*mapped));
        }
        if (memory.arena) blocks_ = memory.arena->use(blocks);
        return;
    }
    if (auto mapped = Arena::map(blocks)) {
        own_.emplace(std::move(*mapped));
        blocks_ = own_->use(blocks);
    }
}

}  // namespace consentry::crypto::argon2
