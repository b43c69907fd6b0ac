// AVX-512 (F, VL): a block is 16 registers, so all of G happens in registers.
//
// A register holds a quarter (four words) of two neighboring rows. In this order G needs no transposition: in the
// rows, the registers of one pair of rows are the a, b, c and d of its two permutations; in the columns, the registers
// of one quarter are those of the two permutations of its two columns.
#include "crypto/argon2/fill_walk.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace consentry::crypto::argon2 {
namespace {

// The a, b, c and d of two permutations each.
template <unsigned count>
struct Groups {
    __m512i a[count], b[count], c[count], d[count];
};

// GB of RFC 9106 section 3.6, in eight words at once.
__m512i sum(__m512i a, __m512i b) {
    const __m512i product = _mm512_mul_epu32(a, b);
    return _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(product, product));
}
// Each step in all groups before the next step: every step waits for the one before it, and the processor does not look
// far enough ahead to find the other groups by itself.
template <unsigned count>
void mix(Groups<count>& v) {
    for (unsigned i = 0; i < count; ++i) v.a[i] = sum(v.a[i], v.b[i]);
    for (unsigned i = 0; i < count; ++i) v.d[i] = _mm512_ror_epi64(_mm512_xor_si512(v.d[i], v.a[i]), 32);
    for (unsigned i = 0; i < count; ++i) v.c[i] = sum(v.c[i], v.d[i]);
    for (unsigned i = 0; i < count; ++i) v.b[i] = _mm512_ror_epi64(_mm512_xor_si512(v.b[i], v.c[i]), 24);
    for (unsigned i = 0; i < count; ++i) v.a[i] = sum(v.a[i], v.b[i]);
    for (unsigned i = 0; i < count; ++i) v.d[i] = _mm512_ror_epi64(_mm512_xor_si512(v.d[i], v.a[i]), 16);
    for (unsigned i = 0; i < count; ++i) v.c[i] = sum(v.c[i], v.d[i]);
    for (unsigned i = 0; i < count; ++i) v.b[i] = _mm512_ror_epi64(_mm512_xor_si512(v.b[i], v.c[i]), 63);
}

// Diagonals become columns by moving a, c and d toward b: b is computed last, so moving it would delay everything.
template <unsigned count>
void permute_rows(Groups<count>& v) {
    mix(v);
    for (unsigned i = 0; i < count; ++i) {
        v.a[i] = _mm512_permutex_epi64(v.a[i], 0x93);
        v.d[i] = _mm512_permutex_epi64(v.d[i], 0x4E);
        v.c[i] = _mm512_permutex_epi64(v.c[i], 0x39);
    }
    mix(v);
    for (unsigned i = 0; i < count; ++i) {
        v.a[i] = _mm512_permutex_epi64(v.a[i], 0x39);
        v.d[i] = _mm512_permutex_epi64(v.d[i], 0x4E);
        v.c[i] = _mm512_permutex_epi64(v.c[i], 0x93);
    }
}

// A register holds the first two of the four words of two columns, and then the last two.
template <unsigned count>
void permute_columns(Groups<count>& v) {
    const __m512i up = _mm512_setr_epi64(1, 4, 3, 6, 5, 0, 7, 2);    // (w1 w2)(w1 w2)(w3 w0)(w3 w0)
    const __m512i down = _mm512_setr_epi64(5, 0, 7, 2, 1, 4, 3, 6);  // (w3 w0)(w3 w0)(w1 w2)(w1 w2)
    mix(v);
    for (unsigned i = 0; i < count; ++i) {
        v.a[i] = _mm512_permutexvar_epi64(down, v.a[i]);
        v.d[i] = _mm512_shuffle_i64x2(v.d[i], v.d[i], 0x4E);
        v.c[i] = _mm512_permutexvar_epi64(up, v.c[i]);
    }
    mix(v);
    for (unsigned i = 0; i < count; ++i) {
        v.a[i] = _mm512_permutexvar_epi64(up, v.a[i]);
        v.d[i] = _mm512_shuffle_i64x2(v.d[i], v.d[i], 0x4E);
        v.c[i] = _mm512_permutexvar_epi64(down, v.c[i]);
    }
}

__m512i load(const Block& block, unsigned at) { return _mm512_load_si512(block.words + std::size_t{8} * at); }

struct Avx512 {
    // Register 4 * h + q holds quarter q of the rows 2 h and 2 h + 1.
    template <bool accumulate, class Early>
    static void compress(const Block& previous, const Block& reference, Block& out, Early early) {
        Groups<4> rows;
        for (unsigned h = 0; h < 4; ++h) {
            rows.a[h] = _mm512_xor_si512(load(previous, 4 * h), load(reference, 4 * h));
            rows.b[h] = _mm512_xor_si512(load(previous, 4 * h + 1), load(reference, 4 * h + 1));
            rows.c[h] = _mm512_xor_si512(load(previous, 4 * h + 2), load(reference, 4 * h + 2));
            rows.d[h] = _mm512_xor_si512(load(previous, 4 * h + 3), load(reference, 4 * h + 3));
        }
        permute_rows(rows);
        const auto store = [&](unsigned at, __m512i z) {
            constexpr int xor_of_three = 0x96;
            __m512i word = _mm512_ternarylogic_epi64(z, load(previous, at), load(reference, at), xor_of_three);
            if constexpr (accumulate) word = _mm512_xor_si512(word, load(out, at));
            _mm512_store_si512(out.words + std::size_t{8} * at, word);
            return word;
        };
        Groups<4> v{{rows.a[0], rows.b[0], rows.c[0], rows.d[0]},
                    {rows.a[1], rows.b[1], rows.c[1], rows.d[1]},
                    {rows.a[2], rows.b[2], rows.c[2], rows.d[2]},
                    {rows.a[3], rows.b[3], rows.c[3], rows.d[3]}};
        permute_columns(v);
        const __m512i first = store(0, v.a[0]);
        early(static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(first))));
        for (unsigned q = 0; q < 4; ++q) {
            if (q > 0) store(q, v.a[q]);
            store(4 + q, v.b[q]);
            store(8 + q, v.c[q]);
            store(12 + q, v.d[q]);
        }
    }

    static void to_own_order(Block& block) {
        const Block from = block;
        for (unsigned i = 0; i < Block::words_count; ++i) block.words[i] = from.words[common_index(i)];
    }
    static void to_common_order(Block& block) {
        const Block from = block;
        for (unsigned i = 0; i < Block::words_count; ++i) block.words[common_index(i)] = from.words[i];
    }
    // Where the word i of the own order is in the common order.
    static constexpr unsigned common_index(unsigned i) {
        const unsigned h = i / 32;
        const unsigned q = i / 8 % 4;
        const unsigned row = 2 * h + i / 4 % 2;
        return 16 * row + 4 * q + i % 4;
    }
};

}  // namespace

void fill_avx512(const FillJob& job) { Walk<Avx512>(job).fill(); }

}  // namespace consentry::crypto::argon2

#endif
