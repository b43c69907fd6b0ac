#include "crypto/argon2/blake2b.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sodium.h>

#include "tests/support/random_bytes.hpp"

namespace consentry::crypto::argon2 {
namespace {

Bytes blake2b(BytesView message, std::size_t size, BytesView key = {}) {
    Blake2b hash(size, key);
    hash.update(message);
    Bytes out(size);
    hash.finish(out);
    return out;
}

TEST(Blake2b, GivesTheExampleOfTheRfc) {
    // RFC 7693 appendix A
    EXPECT_EQ(to_hex(blake2b(as_bytes("abc"), 64)),
              "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
              "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

// The self-test of RFC 7693 appendix E: digests of 4 sizes over 6 lengths of input, with and without key, hashed.
TEST(Blake2b, PassesTheSelfTestOfTheRfc) {
    const auto sequence = [](std::size_t size, std::uint32_t seed) {
        Bytes out(size);
        std::uint32_t a = 0xDEAD4BAD * seed;
        std::uint32_t b = 1;
        for (auto& byte : out) {
            const std::uint32_t next = a + b;
            a = b;
            b = next;
            byte = static_cast<std::uint8_t>(next >> 24);
        }
        return out;
    };
    Blake2b all(32);
    for (const std::uint32_t size : {20U, 32U, 48U, 64U})
        for (const std::uint32_t length : {0U, 3U, 128U, 129U, 255U, 1024U}) {
            const Bytes message = sequence(length, length);
            all.update(blake2b(message, size));
            all.update(blake2b(message, size, sequence(size, size)));
        }
    Bytes digest(32);
    all.finish(digest);
    EXPECT_EQ(to_hex(digest), "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475");
}

TEST(Blake2b, AgreesWithLibsodiumForAllLengthsAndKeys) {
    ASSERT_GE(sodium_init(), 0);
    std::mt19937_64 random(7693);
    for (std::size_t length = 0; length < 1'100; ++length) {
        const Bytes message = tests::random_bytes_of(random, length < 1'050 ? length : random() % 200'000);
        const std::size_t size = crypto_generichash_BYTES_MIN + random() % (64 - crypto_generichash_BYTES_MIN + 1);
        const std::size_t key_size = random() % 2 == 0 ? 0 : 16 + random() % 49;
        const Bytes key = tests::random_bytes_of(random, key_size);
        Bytes expected(size);
        ASSERT_EQ(crypto_generichash(expected.data(), size, message.data(), message.size(), key.data(), key.size()), 0);
        EXPECT_EQ(blake2b(message, size, key), expected) << length << ' ' << size << ' ' << key_size;
    }
}

TEST(Blake2b, PartsOfAnySizeMakeTheSameMessage) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        const Bytes message = tests::random_bytes_of(random, random() % 1'000);
        Blake2b hash(64);
        for (BytesView rest = message; !rest.empty();) {
            const std::size_t taken = std::min<std::size_t>(rest.size(), random() % 300);
            hash.update(rest.first(taken));
            rest = rest.subspan(taken);
        }
        Bytes digest(64);
        hash.finish(digest);
        EXPECT_EQ(digest, blake2b(message, 64));
    }
    Blake2b number(64);
    number.update_le32(0x01020304);
    Bytes digest(64);
    number.finish(digest);
    EXPECT_EQ(digest, blake2b(Bytes{4, 3, 2, 1}, 64));
}

TEST(Blake2b, RefusesSizesThatItDoesNotHave) {
    EXPECT_THROW(Blake2b(0), std::invalid_argument);
    EXPECT_THROW(Blake2b(65), std::invalid_argument);
    EXPECT_THROW(Blake2b(64, Bytes(65)), std::invalid_argument);
    Bytes other(63);
    EXPECT_THROW(Blake2b(64).finish(other), std::invalid_argument);
}

// H' by its definition: RFC 9106 section 3.3, with r = ceil(T/32) - 2.
TEST(Blake2b, TheLongHashIsAChainOfHalves) {
    const Bytes input = {1, 2, 3, 4, 5};
    const auto with_length = [&](std::uint32_t length) {
        Bytes out{static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(length >> 8), 0, 0};
        out.insert(out.end(), input.begin(), input.end());
        return out;
    };
    for (std::uint32_t length = 1; length < 1'100; ++length) {
        Bytes expected;
        if (length <= 64) {
            expected = blake2b(with_length(length), length);
        } else {
            const std::uint32_t halves = (length + 31) / 32 - 2;
            Bytes link = blake2b(with_length(length), 64);
            for (std::uint32_t i = 1; i <= halves; ++i) {
                expected.insert(expected.end(), link.begin(), link.begin() + 32);
                link = blake2b(link, i < halves ? 64 : length - 32 * halves);
            }
            expected.insert(expected.end(), link.begin(), link.end());
        }
        Bytes out(length);
        long_hash(BytesView(input).first(2), BytesView(input).subspan(2), out);
        EXPECT_EQ(out, expected) << length;
    }
}

}  // namespace
}  // namespace consentry::crypto::argon2
