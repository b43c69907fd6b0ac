// The memory in which Argon2 works.
//
// What it contains is as secret as the password. Each block of the last pass is the XOR of a new block and the one
// before it, and the new one follows from its neighbors. From a complete memory, one can therefore compute the passes
// backwards, up to the first two blocks, and test a guess against those with two BLAKE2b hashes instead of a full
// Argon2. So the memory
//   - is never in a core dump or in a forked process, and not in the swap space if the limit RLIMIT_MEMLOCK permits
//     (is_locked());
//   - is wiped after each hash, unless its thread has promised to wipe it itself: see keep_arena().
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "crypto/argon2/fill.hpp"

namespace consentry::crypto::argon2 {

class Arena {
public:
    // Maps room for at least `blocks`, of which there must be one. In huge pages if it fills one and the system
    // permits: references jump all over the memory, and with ordinary pages most of them would also miss the TLB.
    // Returns nullopt if the system has no address space left.
    static std::optional<Arena> map(std::size_t blocks);
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&&) = delete;
    ~Arena();  // wipes and unmaps

    std::size_t capacity() const { return capacity_; }  // blocks
    bool is_locked() const { return is_locked_; }

    // The first `blocks` of the memory, at most capacity(). Their content is undefined.
    std::span<Block> use(std::size_t blocks);
    // Overwrites all blocks in use; the compiler cannot optimize it away.
    void wipe() noexcept;

private:
    Arena(void* mapping, std::size_t mapping_bytes, Block* blocks, std::size_t capacity);

    void* mapping_;
    std::size_t mapping_bytes_;
    Block* blocks_;
    std::size_t capacity_;
    std::size_t used_ = 0;  // blocks that may contain secrets
    bool is_locked_ = false;
};

// From now on, hashes of this thread that need at most `blocks` use one arena; zero: none. The first of them maps it,
// so a thread that never hashes has none. Such hashes do not wipe: with 19 MiB that takes 3 to 8 percent of the time of
// a hash, and under load the next hash overwrites everything anyway. The caller promises to call wipe_arena() as soon
// as the thread has nothing to do. So the memory of a hash outlives it only while the next one waits, and an attacker
// who can read memory at that moment can read that of a running hash as well. The end of the thread wipes and unmaps.
void keep_arena(std::size_t blocks) noexcept;
// Wipes the arena of this thread, if there is one.
void wipe_arena() noexcept;

// The memory for one hash: the arena of this thread, or one of its own that the destructor wipes and unmaps.
class Lease {
public:
    explicit Lease(std::size_t blocks);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    std::span<Block> blocks() const { return blocks_; }  // empty: the system has no memory left

private:
    std::optional<Arena> own_;
    std::span<Block> blocks_;
};

}  // namespace consentry::crypto::argon2
