// Argon2, version 0x13 (RFC 9106), on the calling thread. Thread-safe and deliberately slow: call it on the worker
// pool, never on an I/O thread. For crypto/password_hash alone, which chooses between this and libsodium.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/argon2/fill.hpp"

namespace consentry::crypto::argon2 {

inline constexpr std::uint32_t version = 0x13;  // 19 in text
inline constexpr std::uint32_t lanes_max = (1U << 24) - 1;
inline constexpr std::size_t salt_size_min = 8;  // RFC 9106 permits less and asks for 16; libargon2 wants this much
inline constexpr std::size_t tag_size_min = 4;

struct Parameters {
    std::uint32_t memory_kib = 0;  // at least 8 per lane; 1 GiB if the caller sets no other bound
    std::uint32_t passes = 0;      // at least 1
    std::uint32_t lanes = 1;       // 1 to 2^24 - 1; computed one after the other
    Type type = Type::argon2id;

    bool operator==(const Parameters&) const = default;
};

// All may be empty except the salt. Borrowed during the call.
struct Input {
    BytesView password = {};
    BytesView salt;
    BytesView secret = {};
    BytesView associated_data = {};
};

// Returns what is wrong with the parameters (RFC 9106 section 3.1), or nullopt. `memory_kib_max`: the caller's bound.
std::optional<std::string_view> problem_of(const Parameters& parameters, std::uint32_t memory_kib_max = 1U << 20);

// Computes the tag, of at least 4 bytes, into `tag`. Returns false if the system has no memory for it. Throws
// std::invalid_argument with the sentence of problem_of(), or if a size is out of bounds. `fill`: one of
// fill_implementations().
bool hash_raw(const Input& input, const Parameters& parameters, std::span<std::uint8_t> tag, Fill fill,
              std::uint32_t memory_kib_max = 1U << 20);

// Computes the published vectors of RFC 9106 section 5 and a larger hash with this implementation. Returns whether all
// are right.
bool gives_known_answers(Fill fill);

}  // namespace consentry::crypto::argon2
