#include "crypto/aead.hpp"

#include <set>

#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

const std::string old_secret = "an old secret of thirty-two bytes";
const std::string new_secret = "a new secret of thirty-two bytes!";
const BytesView plain = as_bytes("12345678901234567890");
const BytesView mike = as_bytes("user mike");
const BytesView eve = as_bytes("user eve");

TEST(CRY_2, OpensWhatItSealed) {
    const SealingKeys keys({new_secret}, "two-factor");
    const auto sealed = keys.seal(plain, mike);
    EXPECT_EQ(sealed.iv.size(), 12U);
    EXPECT_EQ(sealed.bytes.size(), 4 + plain.size() + 16);
    const auto opened = keys.open(sealed, mike);
    ASSERT_TRUE(opened);
    EXPECT_EQ(as_text(*opened), as_text(plain));
    EXPECT_FALSE(as_text(sealed.bytes).contains(as_text(plain)));
}

TEST(CRY_2, EveryFlippedByteIsNoticed) {
    const SealingKeys keys({new_secret}, "two-factor");
    const auto sealed = keys.seal(plain, mike);
    for (std::size_t i = 0; i < sealed.bytes.size(); ++i) {
        auto damaged = sealed;
        damaged.bytes[i] ^= 0x01;
        EXPECT_FALSE(keys.open(damaged, mike)) << i;
    }
    for (std::size_t i = 0; i < sealed.iv.size(); ++i) {
        auto damaged = sealed;
        damaged.iv[i] ^= 0x80;
        EXPECT_FALSE(keys.open(damaged, mike)) << i;
    }
}

TEST(CRY_2, CutRecordsDoNotOpen) {
    const SealingKeys keys({new_secret}, "two-factor");
    const auto sealed = keys.seal(plain, mike);
    for (std::size_t size = 0; size < sealed.bytes.size(); ++size) {
        auto cut = sealed;
        cut.bytes.resize(size);
        EXPECT_FALSE(keys.open(cut, mike)) << size;
    }
    auto no_iv = sealed;
    no_iv.iv.clear();
    EXPECT_FALSE(keys.open(no_iv, mike));
}

TEST(CRY_2, OpensWhatItSealedInOnePieceAndNoPartOfIt) {
    const SealingKeys keys({new_secret}, "two-factor");
    const Bytes sealed = keys.seal_in_one(plain, mike);
    const auto opened = keys.open_in_one(sealed, mike);
    ASSERT_TRUE(opened);
    EXPECT_EQ(as_text(*opened), as_text(plain));
    EXPECT_FALSE(keys.open_in_one(sealed, eve));
    for (std::size_t size = 0; size < sealed.size(); ++size)
        EXPECT_FALSE(keys.open_in_one(BytesView(sealed).first(size), mike)) << size;
    const auto [iv, bytes] = keys.seal(plain, mike);
    Bytes joined = iv;
    joined.insert(joined.end(), bytes.begin(), bytes.end());
    EXPECT_TRUE(keys.open_in_one(joined, mike)) << "the IV comes first";
}

TEST(CRY_2, ARecordBelongsToItsOwnerAndPurpose) {
    const SealingKeys keys({new_secret}, "two-factor");
    const auto sealed = keys.seal(plain, mike);
    EXPECT_FALSE(keys.open(sealed, eve));
    EXPECT_FALSE(keys.open(sealed, {}));
    EXPECT_FALSE(SealingKeys({new_secret}, "cursors").open(sealed, mike));
}

TEST(CRY_2, NoIvComesTwice) {
    const SealingKeys keys({new_secret}, "two-factor");
    std::set<Bytes> seen;
    for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(seen.insert(keys.seal({}, {}).iv).second);
}

TEST(CRY_4, OldKeysOpenAndTheFirstSeals) {
    const SealingKeys before({old_secret}, "two-factor");
    const SealingKeys rotated({new_secret, old_secret}, "two-factor");
    const SealingKeys after({new_secret}, "two-factor");
    const auto sealed_before = before.seal(plain, mike);
    EXPECT_TRUE(rotated.open(sealed_before, mike));
    EXPECT_FALSE(rotated.sealed_with_first(sealed_before));
    EXPECT_TRUE(before.sealed_with_first(sealed_before));
    const auto sealed_again = rotated.seal(plain, mike);
    EXPECT_TRUE(rotated.sealed_with_first(sealed_again));
    EXPECT_TRUE(after.open(sealed_again, mike));
    EXPECT_FALSE(after.open(sealed_before, mike));  // its key was removed
    EXPECT_FALSE(rotated.sealed_with_first({}));
    EXPECT_EQ(rotated.ids(), (std::vector{after.ids().at(0), before.ids().at(0)}));
    EXPECT_EQ(before.ids().at(0), Bytes(sealed_before.bytes.begin(), sealed_before.bytes.begin() + 4));
}

TEST(CRY_3, SecretsAreNeverEmpty) {
    EXPECT_THROW(SealingKeys({}, "two-factor"), std::invalid_argument);
    EXPECT_THROW(SealingKeys({""}, "two-factor"), std::invalid_argument);
    EXPECT_THROW(SealingKeys({new_secret, ""}, "two-factor"), std::invalid_argument);
}

TEST(CRY_2, ThePrimitiveTakesItsSizesOnly) {
    EXPECT_THROW(aes_256_gcm_seal(Bytes(16), Bytes(12), plain, {}), std::invalid_argument);
    EXPECT_THROW(aes_256_gcm_seal(Bytes(32), Bytes(16), plain, {}), std::invalid_argument);
    EXPECT_FALSE(aes_256_gcm_open(Bytes(32), Bytes(12), Bytes(15), {}));
}

}  // namespace
}  // namespace consentry::crypto
