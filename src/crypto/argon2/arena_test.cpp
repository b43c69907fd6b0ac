#include "crypto/argon2/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "crypto/argon2/argon2.hpp"

namespace consentry::crypto::argon2 {
namespace {

bool is_zero(std::span<const Block> blocks) {
    return std::ranges::all_of(blocks, [](const Block& block) {
        return std::ranges::all_of(block.words, [](auto word) { return word == 0; });
    });
}

void fill_with_ones(std::span<Block> blocks) {
    for (Block& block : blocks) std::ranges::fill(block.words, ~std::uint64_t{0});
}

bool hash(std::uint32_t memory_kib) {
    const Bytes salt(16, 1);
    Bytes tag(32);
    return hash_raw({.password = as_bytes("secret"), .salt = salt}, {.memory_kib = memory_kib, .passes = 2}, tag,
                    fill_implementations().front().fill);
}

// Runs in a process of its own, because limits and wiped forks cannot be taken back. Returns its exit status.
int in_a_child(const std::function<bool()>& holds) {
    const pid_t child = fork();
    if (child == 0) _exit(holds() ? 0 : 1);
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Argon2Arena, HasRoomOnBoundariesOfItsPages) {
    for (const std::size_t blocks : {1U, 8U, 2'047U, 2'048U, 2'049U, 19'456U}) {
        auto arena = Arena::map(blocks);
        ASSERT_TRUE(arena);
        EXPECT_GE(arena->capacity(), blocks);
        const auto used = arena->use(blocks);
        ASSERT_EQ(used.size(), blocks);
        const std::size_t boundary = blocks >= 2'048 ? std::size_t{2} << 20 : 4'096;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(used.data()) % boundary, 0U);
        EXPECT_TRUE(is_zero(used));
        fill_with_ones(used);
        EXPECT_TRUE(arena->use(arena->capacity() + 1).empty());
    }
    EXPECT_FALSE(Arena::map(0));
    EXPECT_FALSE(Arena::map(SIZE_MAX / 1'024));
    EXPECT_FALSE(Arena::map(SIZE_MAX));
}

TEST(Argon2Arena, WipesEverythingThatWasInUse) {
    auto arena = Arena::map(4'096);
    ASSERT_TRUE(arena);
    fill_with_ones(arena->use(4'096));
    arena->use(8);  // a smaller hash after a larger one
    arena->wipe();
    EXPECT_TRUE(is_zero(arena->use(4'096)));
    Arena moved(std::move(*arena));
    fill_with_ones(moved.use(100));
    moved.wipe();
    EXPECT_TRUE(is_zero(moved.use(4'096)));
}

TEST(Argon2Arena, AThreadKeepsItsMemoryUntilItWipesIt) {
    std::thread([] {
        keep_arena(256);
        ASSERT_TRUE(hash(256));
        const Block* kept = nullptr;
        {
            const Lease lease(256);
            kept = lease.blocks().data();
            EXPECT_FALSE(is_zero(lease.blocks())) << "left to the next hash";
        }
        ASSERT_TRUE(hash(64)) << "a cheaper hash uses the same memory";
        wipe_arena();
        const Lease lease(256);
        EXPECT_EQ(lease.blocks().data(), kept);
        EXPECT_TRUE(is_zero(lease.blocks()));
        const Lease larger(257);
        ASSERT_EQ(larger.blocks().size(), 257U);
        EXPECT_NE(larger.blocks().data(), kept) << "an imported hash with higher costs";
    }).join();
}

TEST(Argon2Arena, AThreadThatKeepsNothingMapsEachTime) {
    std::thread([] {
        wipe_arena();  // there is none
        const Lease first(64);
        const Lease second(64);
        EXPECT_NE(first.blocks().data(), second.blocks().data());
        EXPECT_TRUE(is_zero(first.blocks()));
    }).join();
}

TEST(Argon2Arena, AForkedProcessSeesNothing) {
    auto arena = Arena::map(64);
    ASSERT_TRUE(arena);
    const auto used = arena->use(64);
    fill_with_ones(used);
    EXPECT_EQ(in_a_child([&] { return is_zero(used); }), 0);
    EXPECT_FALSE(is_zero(used));
}

// The sanitizers reserve more address space than any limit that could be set here, and lock no memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONSENTRY_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CONSENTRY_SANITIZED
#endif
#endif
#if !defined(CONSENTRY_SANITIZED)
TEST(Argon2Arena, WithoutMemoryThereIsNoHash) {
    EXPECT_EQ(in_a_child([] {
                  const rlimit none{.rlim_cur = 64 << 20, .rlim_max = 64 << 20};
                  if (setrlimit(RLIMIT_AS, &none) != 0) return false;
                  keep_arena(1 << 20);
                  const bool kept = hash(1 << 20);
                  keep_arena(0);
                  return !kept && !hash(1 << 20) && Lease(1 << 20).blocks().empty();
              }),
              0);
}

TEST(Argon2Arena, MemoryThatMayNotBeLockedServesUnlocked) {
    EXPECT_EQ(in_a_child([] {
                  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
                  if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
                  // The limit does not bind root.
                  if (geteuid() == 0 && (setgid(65'534) != 0 || setuid(65'534) != 0)) return false;
                  auto arena = Arena::map(64);
                  return arena && !arena->is_locked() && hash(64);
              }),
              0);
    EXPECT_EQ(in_a_child([] {
                  auto arena = Arena::map(8);  // within the limit of every system
                  return arena && arena->is_locked();
              }),
              0);
}
#endif

}  // namespace
}  // namespace consentry::crypto::argon2
