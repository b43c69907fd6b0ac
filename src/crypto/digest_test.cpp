#include "crypto/digest.hpp"

#include <concepts>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

Bytes hex(std::string_view text) { return from_hex(text).value(); }

TEST(Digest, Sha256) {
    EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(to_hex(sha256(BytesView{})), to_hex(sha256("")));
    EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, ThreadsDoNotDisturbEachOther) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            const std::string text(static_cast<std::size_t>(100 + t), 'x');
            const Sha256 once = sha256(text);
            const Sha256 keyed = hmac_sha256(as_bytes(text), as_bytes(text));
            for (int i = 0; i < 2000; ++i) {
                ASSERT_EQ(sha256(text), once);
                ASSERT_EQ(hmac_sha256(as_bytes(text), as_bytes(text)), keyed);
            }
        });
}

TEST(Digest, Md5OfRfc1321) {
    EXPECT_EQ(to_hex(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(to_hex(md5("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Digest, HmacOfRfc4231AndRfc2202) {
    EXPECT_EQ(to_hex(hmac_sha256(Bytes(20, 0x0b), as_bytes("Hi There"))),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(to_hex(hmac_sha256(Bytes(131, 0xaa), as_bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    EXPECT_EQ(to_hex(hmac_sha1(Bytes(20, 0x0b), as_bytes("Hi There"))), "b617318655057264e28bc0b6fb378c8ef146be00");
}

TEST(Digest, AnEmptyHmacKeyIsNotTheKeyOfTheLastCall) {
    hmac_sha256(as_bytes("some key"), as_bytes("message"));
    EXPECT_EQ(to_hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(CRY_3, HkdfOfRfc5869) {
    EXPECT_EQ(to_hex(hkdf_sha256(Bytes(22, 0x0b), hex("000102030405060708090a0b0c"), hex("f0f1f2f3f4f5f6f7f8f9"), 42)),
              "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
    Bytes secret;
    Bytes salt;
    Bytes info;
    for (unsigned i = 0; i < 80; ++i) {
        secret.push_back(static_cast<std::uint8_t>(i));
        salt.push_back(static_cast<std::uint8_t>(0x60 + i));
        info.push_back(static_cast<std::uint8_t>(0xb0 + i));
    }
    EXPECT_EQ(to_hex(hkdf_sha256(secret, salt, info, 82)),
              "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da327560"
              "0c2f09b83677"
              "93a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87");
    EXPECT_EQ(to_hex(hkdf_sha256(Bytes(22, 0x0b), "", 42)),
              "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
}

TEST(CRY_3, EachLabelGivesItsOwnKey) {
    const std::string secret(32, 's');
    EXPECT_NE(hkdf_sha256(as_bytes(secret), "a", 32), hkdf_sha256(as_bytes(secret), "b", 32));
    EXPECT_THROW(hkdf_sha256({}, "a", 32), std::invalid_argument);
    EXPECT_THROW(hkdf_sha256(as_bytes(secret), "a", 0), std::invalid_argument);
    EXPECT_THROW(hkdf_sha256(as_bytes(secret), "a", 8161), std::invalid_argument);
}

TEST(CRY_5, ComparesLengthAndEveryByte) {
    EXPECT_TRUE(equal_constant_time({}, {}));
    EXPECT_TRUE(equal_constant_time(as_bytes("secret"), as_bytes("secret")));
    EXPECT_FALSE(equal_constant_time(as_bytes("secret"), as_bytes("Secret")));
    EXPECT_FALSE(equal_constant_time(as_bytes("secret"), as_bytes("secreT")));
    EXPECT_FALSE(equal_constant_time(as_bytes("secret"), as_bytes("secre")));
}

TEST(CRY_5, DigestsAreComparedInConstantTimeAndHaveNoOrder) {
    static_assert(!std::totally_ordered<Sha256>);
    const Sha256 digest = sha256("secret");
    EXPECT_TRUE(digest == sha256("secret"));
    for (std::size_t i = 0; i < digest.size(); ++i) {
        Sha256 other = digest;
        other[i] ^= 1;
        EXPECT_TRUE(digest != other) << i;
    }
}

TEST(Digest, WipedSecretsAreGone) {
    std::string text = "a secret that is longer than the small buffer";
    const char* where = text.data();
    const std::size_t size = text.size();
    wipe(text);
    EXPECT_TRUE(text.empty());
    ASSERT_EQ(text.data(), where);
    text.resize(size);  // within the capacity, so the bytes there can be read
    EXPECT_EQ(text, std::string(size, '\0'));
    Bytes bytes{1, 2, 3};
    wipe(bytes);
    EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace consentry::crypto
