#include "crypto/argon2/blake2b.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include <openssl/crypto.h>

namespace consentry::crypto::argon2 {
namespace {

// RFC 7693 section 2.6
constexpr std::array<std::uint64_t, 8> initial{0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B,
                                               0xA54FF53A5F1D36F1, 0x510E527FADE682D1, 0x9B05688C2B3E6C1F,
                                               0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

// RFC 7693 section 2.7. Rounds 10 and 11 use the first two rows again.
constexpr std::uint8_t schedule[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
constexpr std::size_t rounds = 12;

std::uint64_t load_le64(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
    return word;
}

// The function G of RFC 7693 section 3.1, with its rotations of section 2.1.
void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x, std::uint64_t y) {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
}

}  // namespace

Blake2b::Blake2b(std::size_t size, BytesView key) : state_(initial), size_(size) {
    if (size < 1 || size > blake2b_size_max || key.size() > blake2b_size_max)
        throw std::invalid_argument("BLAKE2b: digest of 1 to 64 bytes, key of at most 64");
    // The parameter block of an unsalted, sequential hash (RFC 7693 section 2.5).
    state_[0] ^= 0x0101'0000 ^ (std::uint64_t{key.size()} << 8) ^ std::uint64_t{size};
    if (key.empty()) return;
    // The key is the first block, padded with zeros (RFC 7693 section 3.3).
    std::ranges::copy(key, buffer_.begin());
    buffered_ = block_size;
}

Blake2b::~Blake2b() {
    OPENSSL_cleanse(state_.data(), sizeof(state_));
    OPENSSL_cleanse(buffer_.data(), sizeof(buffer_));
}

void Blake2b::update(BytesView part) {
    while (!part.empty()) {
        // A full buffer waits for more input, because the last block is compressed differently.
        if (buffered_ == block_size) {
            counted_ += block_size;
            compress(false);
            buffered_ = 0;
        }
        const std::size_t taken = std::min(part.size(), block_size - buffered_);
        std::memcpy(buffer_.data() + buffered_, part.data(), taken);
        buffered_ += taken;
        part = part.subspan(taken);
    }
}

void Blake2b::update_le32(std::uint32_t number) {
    const std::uint8_t bytes[] = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8),
                                  static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 24)};
    update(bytes);
}

void Blake2b::finish(std::span<std::uint8_t> out) {
    if (out.size() != size_) throw std::invalid_argument("BLAKE2b: the buffer has another size than the digest");
    std::fill(buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_), buffer_.end(), std::uint8_t{0});
    counted_ += buffered_;
    compress(true);
    for (std::size_t i = 0; i < size_; ++i) out[i] = static_cast<std::uint8_t>(state_[i / 8] >> (8 * (i % 8)));
}

// The function F of RFC 7693 section 3.2.
void Blake2b::compress(bool is_last) {
    std::uint64_t m[16];
    for (std::size_t i = 0; i < 16; ++i) m[i] = load_le64(buffer_.data() + 8 * i);
    std::uint64_t v[16];
    std::ranges::copy(state_, v);
    std::ranges::copy(initial, v + 8);
    v[12] ^= counted_;
    if (is_last) v[14] = ~v[14];
    for (std::size_t round = 0; round < rounds; ++round) {
        const auto& s = schedule[round % 10];
        mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
        mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
        mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
        mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
        mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
        mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
        mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
        mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] ^= v[i] ^ v[i + 8];
    OPENSSL_cleanse(m, sizeof(m));
    OPENSSL_cleanse(v, sizeof(v));
}

void long_hash(BytesView first, BytesView second, std::span<std::uint8_t> out) {
    constexpr std::size_t half = blake2b_size_max / 2;
    std::array<std::uint8_t, blake2b_size_max> block;
    Blake2b begin(std::min(out.size(), blake2b_size_max));
    begin.update_le32(static_cast<std::uint32_t>(out.size()));
    begin.update(first);
    begin.update(second);
    if (out.size() <= blake2b_size_max) return begin.finish(out);
    begin.finish(block);
    // The first halves of a chain of digests, and the whole last one.
    for (;;) {
        std::ranges::copy(std::span(block).first(half), out.begin());
        out = out.subspan(half);
        const std::size_t next = std::min(out.size(), blake2b_size_max);
        Blake2b link(next);
        link.update(block);
        link.finish(std::span(block).first(next));
        if (next < blake2b_size_max || out.size() == blake2b_size_max) break;
    }
    std::ranges::copy(std::span(block).first(out.size()), out.begin());
    OPENSSL_cleanse(block.data(), block.size());
}

}  // namespace consentry::crypto::argon2
