// Any processor: the definitions of RFC 9106, word by word.
#include "crypto/argon2/fill_walk.hpp"

namespace consentry::crypto::argon2 {
namespace {

std::uint64_t rotated(std::uint64_t word, unsigned bits) { return word >> bits | word << (64 - bits); }

// GB of RFC 9106 section 3.6: BLAKE2b's G, with a multiplication of the lower halves in each addition.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + b + 2 * (a & 0xFFFF'FFFF) * (b & 0xFFFF'FFFF); }
void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d) {
    a = sum(a, b);
    d = rotated(d ^ a, 32);
    c = sum(c, d);
    b = rotated(b ^ c, 24);
    a = sum(a, b);
    d = rotated(d ^ a, 16);
    c = sum(c, d);
    b = rotated(b ^ c, 63);
}

// P of RFC 9106 section 3.6, on pairs of words: pair i begins at i * stride.
void permute(std::uint64_t* from, unsigned stride) {
    std::uint64_t v[16];
    for (unsigned i = 0; i < 8; ++i) {
        v[2 * i] = from[i * stride];
        v[2 * i + 1] = from[i * stride + 1];
    }
    for (unsigned i = 0; i < 4; ++i) mix(v[i], v[4 + i], v[8 + i], v[12 + i]);
    for (unsigned i = 0; i < 4; ++i) mix(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4]);
    for (unsigned i = 0; i < 8; ++i) {
        from[i * stride] = v[2 * i];
        from[i * stride + 1] = v[2 * i + 1];
    }
}

struct Portable {
    template <bool accumulate, class Early>
    static void compress(const Block& previous, const Block& reference, Block& out, Early early) {
        Block z;
        for (unsigned i = 0; i < Block::words_count; ++i) z.words[i] = previous.words[i] ^ reference.words[i];
        for (unsigned row = 0; row < 8; ++row) permute(z.words + std::size_t{16} * row, 2);
        for (unsigned column = 0; column < 8; ++column) permute(z.words + std::size_t{2} * column, 16);
        for (unsigned i = 0; i < Block::words_count; ++i) {
            const std::uint64_t word = z.words[i] ^ previous.words[i] ^ reference.words[i];
            out.words[i] = accumulate ? out.words[i] ^ word : word;
        }
        early(out.words[0]);
    }
    static void to_own_order(Block&) {}
    static void to_common_order(Block&) {}
};

}  // namespace

void fill_portable(const FillJob& job) { Walk<Portable>(job).fill(); }

}  // namespace consentry::crypto::argon2
