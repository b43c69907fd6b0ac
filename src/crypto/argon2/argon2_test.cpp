// Argon2 against its published vectors, against libargon2 (the reference implementation) and libsodium, and each way to
// fill the memory against the portable one.
#include "crypto/argon2/argon2.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <argon2.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include "crypto/argon2/arena.hpp"
#include "tests/support/random_bytes.hpp"

namespace consentry::crypto::argon2 {
namespace {

Bytes tag_of(const Input& input, const Parameters& parameters, std::size_t size, Fill fill) {
    Bytes tag(size);
    EXPECT_TRUE(hash_raw(input, parameters, tag, fill));
    return tag;
}

// One random case; all sizes are small, so that thousands take seconds.
struct Case {
    Parameters parameters;
    Bytes password, salt, secret, data;
    std::size_t tag_size;

    explicit Case(std::mt19937_64& random) {
        const auto up_to = [&](std::uint64_t max) { return static_cast<std::uint32_t>(random() % (max + 1)); };
        parameters.lanes = up_to(3) == 0 ? 1 + up_to(7) : 1;
        // The minimum, few segments, and segments with several blocks of addresses; mostly no multiple of 4 lanes.
        const std::uint32_t more = up_to(2) == 0 ? 0 : up_to(7) != 0 ? up_to(40) : up_to(1'400);
        parameters.memory_kib = 8 * parameters.lanes + more;
        parameters.passes = 1 + up_to(3);
        parameters.type = static_cast<Type>(up_to(2));
        password = tests::random_bytes_of(random, up_to(3) == 0 ? 0 : up_to(5) == 0 ? up_to(5'000) : up_to(80));
        salt = tests::random_bytes_of(random, 8 + (up_to(7) == 0 ? up_to(300) : up_to(24)));
        secret = tests::random_bytes_of(random, up_to(3) == 0 ? up_to(32) : 0);
        data = tests::random_bytes_of(random, up_to(3) == 0 ? up_to(200) : 0);
        tag_size = 4 + (up_to(7) == 0 ? up_to(1'100) : up_to(80));
    }
    Input input() const { return {password, salt, secret, data}; }
    std::string text() const {
        return "m=" + std::to_string(parameters.memory_kib) + " t=" + std::to_string(parameters.passes) +
               " p=" + std::to_string(parameters.lanes) +
               " y=" + std::to_string(static_cast<std::uint32_t>(parameters.type)) +
               " password=" + std::to_string(password.size()) + " tag=" + std::to_string(tag_size);
    }
};

Bytes reference_tag(Case& one) {
    Bytes tag(one.tag_size);
    argon2_context context{};
    const auto size = [](const Bytes& bytes) { return static_cast<std::uint32_t>(bytes.size()); };
    context.out = tag.data();
    context.outlen = size(tag);
    context.pwd = one.password.data();
    context.pwdlen = size(one.password);
    context.salt = one.salt.data();
    context.saltlen = size(one.salt);
    context.secret = one.secret.data();
    context.secretlen = size(one.secret);
    context.ad = one.data.data();
    context.adlen = size(one.data);
    context.t_cost = one.parameters.passes;
    context.m_cost = one.parameters.memory_kib;
    context.lanes = one.parameters.lanes;
    context.threads = 1;
    context.version = ARGON2_VERSION_13;
    EXPECT_EQ(argon2_ctx(&context, static_cast<argon2_type>(one.parameters.type)), ARGON2_OK) << one.text();
    return tag;
}

TEST(Argon2, EveryImplementationGivesThePublishedVectors) {
    for (const FillImplementation& one : fill_implementations()) EXPECT_TRUE(gives_known_answers(one.fill)) << one.name;
    EXPECT_STREQ(fill_implementations().back().name, "portable");
    EXPECT_FALSE(gives_known_answers([](const FillJob& job) {
        fill_portable(job);
        job.memory[job.lane_blocks - 1].words[127] ^= 1;
    })) << "one wrong bit";
}

TEST(Argon2, AgreesWithTheReferenceImplementation) {
    std::mt19937_64 random(9106);
    for (int i = 0; i < 2'000; ++i) {
        Case one(random);
        const Bytes expected = reference_tag(one);
        for (const FillImplementation& way : fill_implementations())
            ASSERT_EQ(tag_of(one.input(), one.parameters, one.tag_size, way.fill), expected)
                << way.name << ' ' << i << ' ' << one.text();
    }
}

TEST(Argon2, AgreesWithLibsodium) {
    ASSERT_GE(sodium_init(), 0);
    std::mt19937_64 random(1018);
    for (int i = 0; i < 1'000; ++i) {
        Case one(random);
        one.parameters.lanes = 1;
        const bool hybrid = random() % 2 == 0;
        one.parameters.type = hybrid ? Type::argon2id : Type::argon2i;
        if (!hybrid) one.parameters.passes = 3;  // libsodium's minimum
        one.salt.resize(crypto_pwhash_SALTBYTES);
        const char* password = one.password.empty() ? "" : reinterpret_cast<const char*>(one.password.data());
        Bytes expected(std::max<std::size_t>(one.tag_size, crypto_pwhash_BYTES_MIN));
        ASSERT_EQ(crypto_pwhash(expected.data(), expected.size(), password, one.password.size(), one.salt.data(),
                                one.parameters.passes, std::size_t{one.parameters.memory_kib} * 1024,
                                hybrid ? crypto_pwhash_ALG_ARGON2ID13 : crypto_pwhash_ALG_ARGON2I13),
                  0)
            << one.text();
        const Input input{.password = one.password, .salt = one.salt};
        for (const FillImplementation& way : fill_implementations())
            ASSERT_EQ(tag_of(input, one.parameters, expected.size(), way.fill), expected) << way.name << one.text();
    }
}

TEST(Argon2, TheDefaultCostsAndManyLanesAreThoseOfTheReferenceImplementation) {
    std::mt19937_64 random(19'456);
    for (const auto& [memory, lanes] : {std::pair{19'456U, 1U}, {8'191U, 3U}, {2'040U, 255U}}) {
        Case one(random);
        one.parameters = {.memory_kib = memory, .passes = 2, .lanes = lanes};
        const Bytes expected = reference_tag(one);
        for (const FillImplementation& way : fill_implementations())
            EXPECT_EQ(tag_of(one.input(), one.parameters, one.tag_size, way.fill), expected) << way.name << memory;
    }
}

TEST(Argon2, ParametersOutOfBoundsAreNamed) {
    const Bytes salt(16);
    Bytes tag(32);
    const Parameters wrong[] = {{.memory_kib = 7, .passes = 1},
                                {.memory_kib = 31, .passes = 1, .lanes = 4},
                                {.memory_kib = 64, .passes = 0},
                                {.memory_kib = 64, .passes = 1, .lanes = 0},
                                {.memory_kib = 0xFFFF'FFFF, .passes = 1, .lanes = lanes_max + 1},
                                {.memory_kib = (1U << 20) + 1, .passes = 1},
                                {.memory_kib = 64, .passes = 1, .type = static_cast<Type>(3)}};
    for (const Parameters& parameters : wrong) {
        EXPECT_TRUE(problem_of(parameters).has_value());
        EXPECT_THROW((void)hash_raw({.salt = salt}, parameters, tag, fill_portable), std::invalid_argument);
    }
    constexpr Parameters right{.memory_kib = 8, .passes = 1};
    EXPECT_FALSE(problem_of(right));
    EXPECT_TRUE(problem_of(right, 7)) << "the caller's own bound";
    EXPECT_THROW((void)hash_raw({.salt = BytesView(salt).first(7)}, right, tag, fill_portable), std::invalid_argument);
    EXPECT_THROW((void)hash_raw({.salt = salt}, right, std::span(tag).first(3), fill_portable), std::invalid_argument);
    EXPECT_TRUE(hash_raw({.salt = salt}, right, std::span(tag).first(4), fill_portable));
}

TEST(Argon2, ThreadsHashAtOnceInArenasOfTheirOwn) {
    const Bytes salt(16, 5);
    constexpr Parameters parameters{.memory_kib = 256, .passes = 2};
    const auto way = fill_implementations().front().fill;
    std::vector<Bytes> expected;
    expected.reserve(8);
    for (std::uint8_t i = 0; i < 8; ++i)
        expected.push_back(tag_of({.password = Bytes(8, i), .salt = salt}, parameters, 32, way));
    std::vector<std::thread> threads;
    threads.reserve(2);
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
            keep_arena(256);
            for (int round = 0; round < 20; ++round)
                for (std::uint8_t i = 0; i < 8; ++i) {
                    EXPECT_EQ(tag_of({.password = Bytes(8, i), .salt = salt}, parameters, 32, way), expected[i]);
                    if (i == 5) wipe_arena();
                }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace consentry::crypto::argon2
