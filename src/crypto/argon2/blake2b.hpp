// BLAKE2b (RFC 7693), and the variable-length hash H' that Argon2 builds from it (RFC 9106 section 3.3). Pure and
// thread-safe. Not for general use: the service's own digests are SHA-2 (crypto/digest.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace consentry::crypto::argon2 {

inline constexpr std::size_t blake2b_size_max = 64;  // bytes, of a digest and of a key (RFC 7693 section 2.1)

// Hashes a message that is given in parts. Wipes its state in the destructor: the message is a password.
class Blake2b {
public:
    // `size`: of the digest, 1 to 64 bytes. `key`: at most 64 bytes; empty for an unkeyed hash. Throws
    // std::invalid_argument for other lengths.
    explicit Blake2b(std::size_t size, BytesView key = {});
    ~Blake2b();
    Blake2b(const Blake2b&) = delete;
    Blake2b& operator=(const Blake2b&) = delete;

    void update(BytesView part);
    void update_le32(std::uint32_t number);  // its four bytes, least significant first
    // Writes the digest; `out` has the size that the constructor took. The object must not be used afterwards.
    void finish(std::span<std::uint8_t> out);

private:
    static constexpr std::size_t block_size = 128;
    void compress(bool is_last);

    std::array<std::uint64_t, 8> state_;
    std::array<std::uint8_t, block_size> buffer_{};
    std::size_t buffered_ = 0;
    std::uint64_t counted_ = 0;  // bytes compressed so far; RFC 7693 allows 2^128, no caller has 2^64
    std::size_t size_;
};

// H' of RFC 9106 section 3.3: fills `out`, which has at least one byte and fewer than 2^32, with a hash of the two
// parts of the input.
void long_hash(BytesView first, BytesView second, std::span<std::uint8_t> out);

}  // namespace consentry::crypto::argon2
