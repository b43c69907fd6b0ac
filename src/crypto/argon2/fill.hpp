// The memory of Argon2 and the ways to fill it (RFC 9106 section 3.2, steps 5 and 6). All ways compute the same; the
// processor decides at run time which one is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace consentry::crypto::argon2 {

// 1 KiB: 128 words, in rows of 16.
struct alignas(64) Block {
    static constexpr std::size_t words_count = 128;
    std::uint64_t words[words_count];
};
static_assert(sizeof(Block) == 1024);

// The values of RFC 9106 section 3.1 (y).
enum class Type : std::uint32_t {
    argon2d = 0,   // references depend on the password
    argon2i = 1,   // references do not
    argon2id = 2,  // references do not in the first half of the first pass
};

inline constexpr std::uint32_t slices = 4;  // SL of RFC 9106 section 3.4: points at which lanes wait for one another

struct FillJob {
    Block* memory = nullptr;        // lanes * lane_blocks blocks; borrowed
    std::uint32_t lanes = 1;        // at least 1
    std::uint32_t lane_blocks = 8;  // a multiple of 4, at least 8
    std::uint32_t passes = 1;       // at least 1
    Type type = Type::argon2id;
};

// Before: the first two blocks of each lane contain those of RFC 9106 section 3.2, step 3 and 4, in words of this
// machine. After: so does the last block of each lane. Each implementation has its own order of words within all other
// blocks, and what they contain is as secret as the password: see arena.hpp.
using Fill = void (*)(const FillJob& job);

struct FillImplementation {
    const char* name;
    Fill fill;
};
// The implementations that this processor can run, the fastest first. The last one is the portable one.
std::span<const FillImplementation> fill_implementations();

// For fill.cpp alone; the processor must have what the name says.
void fill_portable(const FillJob& job);
#if defined(__x86_64__)
void fill_avx2(const FillJob& job);
void fill_avx512(const FillJob& job);  // F and VL
#endif

}  // namespace consentry::crypto::argon2
