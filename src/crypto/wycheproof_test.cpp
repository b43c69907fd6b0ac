// Tests against the public vectors of Project Wycheproof (tests/support/test_data.hpp). Each test checks the number of
// vectors, so that a truncated or unread file cannot pass.
#include <functional>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/whole_file.hpp"
#include "crypto/aead.hpp"
#include "crypto/digest.hpp"
#include "crypto/jws.hpp"
#include "tests/support/test_data.hpp"

namespace consentry::crypto {
namespace {

namespace json = boost::json;

using Check = std::function<void(const json::object& group, const json::object& test)>;

// Calls `check` for each test in the file. Returns the number of tests, or 0 if there is no file.
std::size_t each(std::string_view file, const Check& check) {
    const auto text = read_whole_file(tests::test_data("wycheproof") / file);
    if (!text) return 0;
    const json::value document = json::parse(*text);
    std::size_t count = 0;
    for (const auto& group : document.at("testGroups").as_array())
        for (const auto& test : group.at("tests").as_array()) {
            SCOPED_TRACE(std::string(file) + " " + std::to_string(test.at("tcId").as_int64()));
            check(group.as_object(), test.as_object());
            ++count;
        }
    return count;
}

std::string text(const json::object& object, std::string_view name) { return std::string(object.at(name).as_string()); }
Bytes hex(const json::object& object, std::string_view name) { return from_hex(text(object, name)).value(); }
bool valid(const json::object& test) { return text(test, "result") == "valid"; }

#define SKIP_WITHOUT_VECTORS(count) \
    if ((count) == 0) GTEST_SKIP() << tests::no_test_data

std::size_t check_signatures(const std::string& file, SignatureAlgorithm algorithm) {
    return each(file, [&](const json::object& group, const json::object& test) {
        const auto from_der = PublicKey::from_spki_der(hex(group, "publicKeyDer"), algorithm);
        const auto from_pem = PublicKey::from_pem(text(group, "publicKeyPem"), algorithm);
        ASSERT_TRUE(from_der) << from_der.error();
        ASSERT_TRUE(from_pem) << from_pem.error();
        const Bytes message = hex(test, "msg");
        const Bytes signature = hex(test, "sig");
        EXPECT_EQ(from_der->verify(as_text(message), signature), valid(test));
        EXPECT_EQ(from_pem->verify(as_text(message), signature), valid(test));
        if (group.contains("publicKeyJwk")) {
            const auto from_jwk = PublicKey::from_jwk(group.at("publicKeyJwk").as_object());
            ASSERT_TRUE(from_jwk) << from_jwk.error();
            EXPECT_EQ(from_jwk->verify(as_text(message), signature), valid(test));
            EXPECT_EQ(from_jwk->jwk(), from_der->jwk());
        }
    });
}

TEST(TOK_2, WycheproofP256) {
    const auto count = check_signatures("ecdsa_secp256r1_sha256_p1363_test.json", SignatureAlgorithm::es256);
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 262U);
}
TEST(TOK_2, WycheproofP384) {
    const auto count = check_signatures("ecdsa_secp384r1_sha384_p1363_test.json", SignatureAlgorithm::es384);
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 280U);
}
TEST(TOK_2, WycheproofP521) {
    const auto count = check_signatures("ecdsa_secp521r1_sha512_p1363_test.json", SignatureAlgorithm::es512);
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 318U);
}
TEST(TOK_2, WycheproofEd25519) {
    const auto count = check_signatures("ed25519_test.json", SignatureAlgorithm::eddsa);
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 151U);
}

// Verifies a token as the service does: parses it, finds the key by kid and compares the algorithm.
bool accepts(const KeySet& keys, std::string_view token) {
    const auto message = parse_signed_message(token);
    if (!message) return false;
    const PublicKey* key = keys.find(message->kid);
    return key != nullptr && name_of(key->algorithm()) == message->alg &&
           key->verify(message->signing_input, message->signature);
}

KeySet set_of(json::object jwk) {
    // The file uses a wrong name: RFC 7518 defines no ES521. The TOK_9 test checks that the unmodified key is rejected.
    if (const auto* alg = jwk.if_contains("alg"); alg != nullptr && *alg == "ES521" && jwk.at("crv") == "P-521")
        jwk["alg"] = "ES512";
    json::object jwks;
    jwks["keys"] = json::array{std::move(jwk)};
    auto set = KeySet::from_jwks(jwks);
    return set ? std::move(*set) : KeySet{};
}

TEST(TOK_2, WycheproofJsonWebSignature) {
    std::size_t supported = 0;
    std::size_t accepted = 0;
    const auto count = each("json_web_signature_test.json", [&](const json::object& group, const json::object& test) {
        const auto* published = group.if_contains("public");
        const KeySet keys = published == nullptr ? KeySet{} : set_of(published->as_object());
        const std::string token = test.at("jws").is_string() ? text(test, "jws") : json::serialize(test.at("jws"));
        const bool answer = accepts(keys, token);
        if (!valid(test)) {
            EXPECT_FALSE(answer);
        } else {
            // The service does not support symmetric keys, PSS, longer RSA digests or an empty payload. It rejects such
            // tokens although they are valid.
            const auto message = parse_signed_message(token);
            const bool ours = message && (find_algorithm(message->alg) || message->alg == "RS256");
            EXPECT_EQ(answer, ours);
            supported += ours ? 1 : 0;
        }
        accepted += answer ? 1 : 0;
    });
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 401U);
    EXPECT_EQ(accepted, supported);
    EXPECT_EQ(accepted, 11U);  // ES256 twice, ES512 twice, RS256 seven times
}

TEST(TOK_9, WycheproofJsonWebKey) {
    const auto count = each("json_web_key_test.json", [&](const json::object& group, const json::object& test) {
        // Uses the public keys. Some groups have private keys only, which must be rejected as well.
        const auto* jwks = group.if_contains("public");
        if (jwks == nullptr) jwks = group.if_contains("private");
        const auto set = KeySet::from_jwks(jwks->as_object());
        const bool answer = set && accepts(*set, text(test, "jws"));
        const auto* alg = jwks->at("keys").at(0).as_object().if_contains("alg");
        EXPECT_EQ(answer,
                  valid(test) && alg != nullptr && *alg == "RS256");  // the only valid tokens with asymmetric keys
    });
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 26U);
}

TEST(CRY_2, WycheproofAesGcm) {
    std::size_t fitting = 0;
    const auto count = each("aes_gcm_test.json", [&](const json::object& group, const json::object& test) {
        const Bytes key = hex(test, "key");
        const Bytes iv = hex(test, "iv");
        const Bytes plain = hex(test, "msg");
        const Bytes associated = hex(test, "aad");
        Bytes sealed = hex(test, "ct");
        const Bytes tag = hex(test, "tag");
        sealed.insert(sealed.end(), tag.begin(), tag.end());
        const auto opened = aes_256_gcm_open(key, iv, sealed, associated);
        if (group.at("ivSize") != 96 || group.at("keySize") != 256 || group.at("tagSize") != 128) {
            EXPECT_FALSE(opened);
            EXPECT_THROW(aes_256_gcm_seal(key, iv, plain, associated), std::invalid_argument);
            return;
        }
        ++fitting;
        EXPECT_EQ(opened.has_value(), valid(test));
        if (opened) {
            EXPECT_EQ(*opened, plain);
        }
        EXPECT_EQ(aes_256_gcm_seal(key, iv, plain, associated) == sealed, valid(test));
    });
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 316U);
    EXPECT_EQ(fitting, 66U);
}

TEST(CRY_6, WycheproofHmac) {
    const auto check = [](const auto& hmac) {
        return [&hmac](const json::object&, const json::object& test) {
            const auto computed = hmac(hex(test, "key"), hex(test, "msg"));
            const Bytes tag = hex(test, "tag");  // some tags are truncated to their first half
            EXPECT_EQ(equal_constant_time(BytesView(computed).first(tag.size()), tag), valid(test));
        };
    };
    const auto with_sha1 = each("hmac_sha1_test.json", check(hmac_sha1));
    const auto with_sha256 = each("hmac_sha256_test.json", check(hmac_sha256));
    SKIP_WITHOUT_VECTORS(with_sha1 + with_sha256);
    EXPECT_EQ(with_sha1, 170U);
    EXPECT_EQ(with_sha256, 174U);
}

}  // namespace
}  // namespace consentry::crypto
