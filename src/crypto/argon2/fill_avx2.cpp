// AVX2: a block is 32 registers, of which 16 exist. Both halves of G take eight at a time.
#include "crypto/argon2/fill_walk.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace consentry::crypto::argon2 {
namespace {

__m256i rotated_32(__m256i v) { return _mm256_shuffle_epi32(v, 0xB1); }
__m256i rotated_24(__m256i v) {
    return _mm256_shuffle_epi8(v, _mm256_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10, 3, 4, 5, 6, 7,
                                                   0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
}
__m256i rotated_16(__m256i v) {
    return _mm256_shuffle_epi8(v, _mm256_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9, 2, 3, 4, 5, 6,
                                                   7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
}
__m256i rotated_63(__m256i v) { return _mm256_xor_si256(_mm256_srli_epi64(v, 63), _mm256_add_epi64(v, v)); }

// GB of RFC 9106 section 3.6, in four words at once.
__m256i sum(__m256i a, __m256i b) {
    const __m256i product = _mm256_mul_epu32(a, b);
    return _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(product, product));
}

// Two registers each for the a, b, c and d: of two rows, or of two columns in halves.
struct Group {
    __m256i a[2], b[2], c[2], d[2];
};

void mix(Group& v) {
    for (unsigned i = 0; i < 2; ++i) v.a[i] = sum(v.a[i], v.b[i]);
    for (unsigned i = 0; i < 2; ++i) v.d[i] = rotated_32(_mm256_xor_si256(v.d[i], v.a[i]));
    for (unsigned i = 0; i < 2; ++i) v.c[i] = sum(v.c[i], v.d[i]);
    for (unsigned i = 0; i < 2; ++i) v.b[i] = rotated_24(_mm256_xor_si256(v.b[i], v.c[i]));
    for (unsigned i = 0; i < 2; ++i) v.a[i] = sum(v.a[i], v.b[i]);
    for (unsigned i = 0; i < 2; ++i) v.d[i] = rotated_16(_mm256_xor_si256(v.d[i], v.a[i]));
    for (unsigned i = 0; i < 2; ++i) v.c[i] = sum(v.c[i], v.d[i]);
    for (unsigned i = 0; i < 2; ++i) v.b[i] = rotated_63(_mm256_xor_si256(v.b[i], v.c[i]));
}

// Diagonals become columns by moving a, c and d toward b: b is computed last, so moving it would delay everything.
void permute_rows(Group& v) {
    mix(v);
    for (unsigned i = 0; i < 2; ++i) {
        v.a[i] = _mm256_permute4x64_epi64(v.a[i], 0x93);
        v.c[i] = _mm256_permute4x64_epi64(v.c[i], 0x39);
        v.d[i] = _mm256_permute4x64_epi64(v.d[i], 0x4E);
    }
    mix(v);
    for (unsigned i = 0; i < 2; ++i) {
        v.a[i] = _mm256_permute4x64_epi64(v.a[i], 0x39);
        v.c[i] = _mm256_permute4x64_epi64(v.c[i], 0x93);
        v.d[i] = _mm256_permute4x64_epi64(v.d[i], 0x4E);
    }
}

// Of (w0 w1) and (w2 w3), each in two columns.
void turn_up(__m256i (&v)[2]) {  // (w1 w2), (w3 w0)
    const __m256i first = _mm256_alignr_epi8(v[1], v[0], 8);
    v[1] = _mm256_alignr_epi8(v[0], v[1], 8);
    v[0] = first;
}
void turn_down(__m256i (&v)[2]) {  // (w3 w0), (w1 w2)
    const __m256i first = _mm256_alignr_epi8(v[0], v[1], 8);
    v[1] = _mm256_alignr_epi8(v[1], v[0], 8);
    v[0] = first;
}
void swap(__m256i (&v)[2]) {  // (w2 w3), (w0 w1)
    const __m256i first = v[0];
    v[0] = v[1];
    v[1] = first;
}

void permute_columns(Group& v) {
    mix(v);
    turn_down(v.a);
    turn_up(v.c);
    swap(v.d);
    mix(v);
    turn_up(v.a);
    turn_down(v.c);
    swap(v.d);
}

// Through the intrinsic: a pointer that `auto` declares may lose with GCC the right to alias the words.
__m256i load(const Block& block, unsigned at) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(block.words + std::size_t{4} * at));
}

struct Avx2 {
    // Register 4 * row + q: quarter q of a row. This is the common order.
    template <bool accumulate, class Early>
    static void compress(const Block& previous, const Block& reference, Block& out, Early early) {
        __m256i z[32];
        for (unsigned at = 0; at < 32; at += 8) {
            const auto both = [&](unsigned i) {
                return _mm256_xor_si256(load(previous, at + i), load(reference, at + i));
            };
            Group v{{both(0), both(4)}, {both(1), both(5)}, {both(2), both(6)}, {both(3), both(7)}};
            permute_rows(v);
            for (unsigned i = 0; i < 2; ++i) {
                z[at + 4 * i] = v.a[i];
                z[at + 4 * i + 1] = v.b[i];
                z[at + 4 * i + 2] = v.c[i];
                z[at + 4 * i + 3] = v.d[i];
            }
        }
        const auto store = [&](unsigned at, __m256i word) {
            word = _mm256_xor_si256(_mm256_xor_si256(word, load(previous, at)), load(reference, at));
            if constexpr (accumulate) word = _mm256_xor_si256(word, load(out, at));
            _mm256_store_si256(reinterpret_cast<__m256i*>(out.words + std::size_t{4} * at), word);
            return word;
        };
        for (unsigned q = 0; q < 4; ++q) {
            Group v{{z[q], z[q + 4]}, {z[q + 8], z[q + 12]}, {z[q + 16], z[q + 20]}, {z[q + 24], z[q + 28]}};
            permute_columns(v);
            const __m256i first = store(q, v.a[0]);
            if (q == 0) early(static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(first))));
            store(q + 4, v.a[1]);
            store(q + 8, v.b[0]);
            store(q + 12, v.b[1]);
            store(q + 16, v.c[0]);
            store(q + 20, v.c[1]);
            store(q + 24, v.d[0]);
            store(q + 28, v.d[1]);
        }
    }
    static void to_own_order(Block&) {}
    static void to_common_order(Block&) {}
};

}  // namespace

void fill_avx2(const FillJob& job) { Walk<Avx2>(job).fill(); }

}  // namespace consentry::crypto::argon2

#endif
