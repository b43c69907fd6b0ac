#include "crypto/signature_keys.hpp"

#include <thread>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <openssl/err.h>

#include "crypto/key_set.hpp"

namespace consentry::crypto {
namespace {

namespace json = boost::json;
using enum SignatureAlgorithm;

constexpr SignatureAlgorithm signing_algorithms[] = {es256, es384, es512, eddsa};

json::object object(std::string_view text) { return json::parse(text).as_object(); }

constexpr std::string_view p256 = R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                                  R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";
constexpr std::string_view ed25519 =
    R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";
// The example of RFC 7638, section 3.1.
constexpr std::string_view rsa =
    R"({"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKR)"
    R"(XjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgd)"
    R"(AZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awap)"
    R"(JzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"})";

TEST(TOK_1, AlgorithmNamesAreExact) {
    EXPECT_EQ(find_algorithm("ES256"), es256);
    EXPECT_EQ(find_algorithm("ES384"), es384);
    EXPECT_EQ(find_algorithm("ES512"), es512);
    EXPECT_EQ(find_algorithm("EdDSA"), eddsa);
    for (const std::string_view name :
         {"", "none", "None", "es256", "ES256 ", "ES256K", "HS256", "RS256", "eddsa", "ES521"})
        EXPECT_FALSE(find_algorithm(name)) << name;
    EXPECT_EQ(name_of(rs256), "RS256");
}

// RFC 8032 section 7.1, TEST 2.
TEST(SignatureKeys, Ed25519AsBytesOfRfc8032) {
    const Bytes seed = from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb").value();
    const Bytes point = from_hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c").value();
    const auto key = PrivateKey::from_ed25519_seed(seed);
    ASSERT_TRUE(key) << key.error();
    EXPECT_EQ(key->ed25519_seed(), seed);
    EXPECT_EQ(key->public_key().ed25519(), point);
    const std::string signature = key->sign("r");
    EXPECT_EQ(to_hex(as_bytes(signature)),
              "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
              "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    const auto reader = PublicKey::from_ed25519(point);
    ASSERT_TRUE(reader) << reader.error();
    EXPECT_TRUE(reader->verify("r", as_bytes(signature)));
    EXPECT_FALSE(reader->verify("s", as_bytes(signature)));
}

TEST(SignatureKeys, Ed25519AsBytesRefusesWhatIsNoKey) {
    for (const std::size_t size : {0U, 31U, 33U, 64U}) {
        EXPECT_FALSE(PrivateKey::from_ed25519_seed(Bytes(size, 1))) << size;
        EXPECT_FALSE(PublicKey::from_ed25519(Bytes(size, 1))) << size;
    }
    EXPECT_FALSE(PublicKey::from_ed25519(Bytes(32, 0))) << "a point of small order";
    EXPECT_FALSE(PublicKey::from_ed25519(Bytes(32, 0xFF))) << "no canonical spelling of a point";
    EXPECT_THROW(PrivateKey::generate(es256).ed25519_seed(), std::logic_error);
    EXPECT_THROW(PrivateKey::generate(es256).public_key().ed25519(), std::logic_error);
    EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(SignatureKeys, SignAndSurviveEveryForm) {
    for (const auto algorithm : signing_algorithms) {
        const PrivateKey key = PrivateKey::generate(algorithm);
        const std::string signature = key.sign("message");
        EXPECT_EQ(key.algorithm(), algorithm);
        const auto from_der = PrivateKey::from_pkcs8_der(key.pkcs8_der(), algorithm);
        const auto from_pem = PrivateKey::from_pem(key.pem(), algorithm);
        ASSERT_TRUE(from_der && from_pem);
        EXPECT_TRUE(key.pem().starts_with("-----BEGIN PRIVATE KEY-----\n"));
        const auto public_der = PublicKey::from_spki_der(key.public_key().spki_der(), algorithm);
        const auto public_jwk = PublicKey::from_jwk(key.public_key().jwk());
        ASSERT_TRUE(public_der && public_jwk);
        for (const PublicKey& reader :
             {key.public_key(), from_der->public_key(), from_pem->public_key(), *public_der, *public_jwk}) {
            EXPECT_EQ(reader.algorithm(), algorithm);
            EXPECT_TRUE(reader.verify("message", as_bytes(signature)));
            EXPECT_FALSE(reader.verify("massage", as_bytes(signature)));
            EXPECT_EQ(reader.thumbprint(), key.public_key().thumbprint());
        }
        EXPECT_FALSE(PrivateKey::generate(algorithm).public_key().verify("message", as_bytes(signature)));
    }
    EXPECT_THROW(PrivateKey::generate(rs256), std::invalid_argument);
}

TEST(TOK_2, SignaturesHaveOneLengthAndAreNotDer) {
    const std::size_t sizes[] = {64, 96, 132, 64};
    for (const auto algorithm : signing_algorithms) {
        const PrivateKey key = PrivateKey::generate(algorithm);
        const PublicKey reader = key.public_key();
        // On average, one signature in 128 has a leading zero byte in r or s; with P-521, three in four do.
        for (int i = 0; i < 20; ++i) {
            const std::string signature = key.sign("message " + std::to_string(i));
            EXPECT_EQ(signature.size(), sizes[static_cast<std::size_t>(algorithm)]);
        }
        const std::string signature = key.sign("message");
        EXPECT_FALSE(reader.verify("message", as_bytes(signature + '\0')));
        EXPECT_FALSE(reader.verify("message", as_bytes('\0' + signature)));
        EXPECT_FALSE(reader.verify("message", as_bytes(signature).first(signature.size() - 1)));
        EXPECT_FALSE(reader.verify("message", {}));
        EXPECT_FALSE(reader.verify("message", Bytes(signature.size())));  // r = s = 0
        EXPECT_FALSE(reader.verify("message", Bytes(signature.size(), 0xFF)));
        const std::size_t half = signature.size() / 2;
        Bytes zero_r(signature.begin(), signature.end());
        std::fill_n(zero_r.begin(), half, std::uint8_t{0});
        EXPECT_FALSE(reader.verify("message", zero_r));
    }
}

TEST(TOK_2, RAndSStayBelowTheOrder) {
    const PrivateKey key = PrivateKey::generate(es256);
    const Bytes order = from_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").value();
    const std::string good = key.sign("message");
    for (const std::size_t at : {std::size_t{0}, std::size_t{32}}) {
        Bytes signature(good.begin(), good.end());
        std::ranges::copy(order, signature.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_FALSE(key.public_key().verify("message", signature));
    }
}

TEST(TOK_9, AKeyFitsItsAlgorithm) {
    for (const auto made : signing_algorithms) {
        const PrivateKey key = PrivateKey::generate(made);
        for (const auto wanted : {es256, es384, es512, eddsa, rs256}) {
            if (wanted == made) continue;
            EXPECT_FALSE(PublicKey::from_spki_der(key.public_key().spki_der(), wanted));
            EXPECT_FALSE(PrivateKey::from_pkcs8_der(key.pkcs8_der(), wanted));
            EXPECT_FALSE(PrivateKey::from_pem(key.pem(), wanted));
        }
    }
}

TEST(TOK_9, DamagedKeysAreRefused) {
    const PrivateKey key = PrivateKey::generate(es256);
    Bytes longer = key.public_key().spki_der();
    longer.push_back(0);
    EXPECT_FALSE(PublicKey::from_spki_der(longer, es256));
    Bytes off_curve = key.public_key().spki_der();
    off_curve.back() ^= 1;
    EXPECT_FALSE(PublicKey::from_spki_der(off_curve, es256));
    EXPECT_FALSE(PublicKey::from_spki_der({}, es256));
    EXPECT_FALSE(PublicKey::from_pem({}, es256));
    std::string encrypted = key.pem();  // must be rejected without prompting for a passphrase
    encrypted.insert(encrypted.find('\n') + 1,
                     "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\n");
    EXPECT_FALSE(PrivateKey::from_pem(encrypted, es256));
    EXPECT_EQ(ERR_peek_error(), 0U) << "a refusal stays in the error queue";
    EXPECT_FALSE(PublicKey::from_pem(key.pem(), es256));
    EXPECT_FALSE(PrivateKey::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", es256));
    EXPECT_FALSE(PrivateKey::from_pkcs8_der(key.public_key().spki_der(), es256));
    Bytes swapped = key.pkcs8_der();  // its public half, at the end, is replaced with that of another key
    const Bytes other = PrivateKey::generate(es256).pkcs8_der();
    ASSERT_EQ(swapped.size(), other.size());
    std::copy(other.end() - 64, other.end(), swapped.end() - 64);
    EXPECT_FALSE(PrivateKey::from_pkcs8_der(swapped, es256));
}

TEST(TOK_9, JwksAreReadStrictly) {
    EXPECT_TRUE(PublicKey::from_jwk(object(p256)));
    EXPECT_TRUE(PublicKey::from_jwk(object(ed25519)));
    EXPECT_TRUE(PublicKey::from_jwk(object(rsa)));
    const std::pair<std::string_view, json::value> changes[] = {
        {"kty", "RSA"},
        {"kty", "OKP"},
        {"kty", "oct"},
        {"kty", 1},
        {"crv", "P-384"},
        {"crv", "P-521"},
        {"crv", nullptr},
        {"crv", "secp256k1"},
        {"x", ""},
        {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEUA"},
        {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU="},
        {"y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4"},
        {"y", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
        {"alg", "ES384"},
        {"alg", "HS256"},
        {"alg", 256},
        {"use", "enc"},
        {"use", json::array{"sig"}},
        {"key_ops", "verify"},
        {"key_ops", json::array{"sign"}},
        {"key_ops", json::array{}},
        {"d", "AA"},
        {"k", "AA"},
        {"kid", 7},
    };
    for (const auto& [name, value] : changes) {
        json::object jwk = object(p256);
        jwk[name] = value;
        EXPECT_FALSE(PublicKey::from_jwk(jwk)) << json::serialize(jwk);
    }
    const std::pair<std::string_view, json::value> allowed[] = {
        {"alg", "ES256"}, {"use", "sig"}, {"key_ops", json::array{"verify"}}, {"kid", "a"}, {"extra", 1}};
    for (const auto& [name, value] : allowed) {
        json::object jwk = object(p256);
        jwk[name] = value;
        EXPECT_TRUE(PublicKey::from_jwk(jwk)) << json::serialize(jwk);
    }
}

TEST(TOK_9, SmallOrderEd25519PointsAreNoKeys) {
    json::object jwk = object(ed25519);
    Bytes neutral(32);
    neutral[0] = 1;
    for (const Bytes& point : {Bytes(32), neutral, Bytes(32, 0xFF)}) {
        jwk["x"] = to_base64url(point);
        EXPECT_FALSE(PublicKey::from_jwk(jwk));
    }
}

TEST(TOK_10, AJwkHasPublicMembersOnly) {
    for (const auto algorithm : signing_algorithms) {
        const json::object jwk = PrivateKey::generate(algorithm).public_key().jwk();
        for (const auto& member : jwk)
            EXPECT_TRUE(member.key() == "kty" || member.key() == "crv" || member.key() == "x" || member.key() == "y");
    }
}

TEST(SignatureKeys, ThumbprintsOfRfc7638AndRfc8037) {
    EXPECT_EQ(PublicKey::from_jwk(object(rsa))->thumbprint(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    EXPECT_EQ(PublicKey::from_jwk(object(ed25519))->thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    // Another implementation computed this thumbprint.
    EXPECT_EQ(PublicKey::from_jwk(object(p256))->thumbprint(), "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U");
}

TEST(SignatureKeys, Ed25519OfRfc8037) {
    Bytes der = from_hex("302e020100300506032b657004220420").value();  // PKCS#8 header of the seed
    const Bytes seed = from_base64url("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").value();
    der.insert(der.end(), seed.begin(), seed.end());
    const auto key = PrivateKey::from_pkcs8_der(der, eddsa);
    ASSERT_TRUE(key);
    EXPECT_EQ(key->public_key().jwk(), object(ed25519));
    EXPECT_EQ(to_base64url(as_bytes(key->sign("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"))),
              "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
}

TEST(SignatureKeys, OneKeyServesManyThreads) {
    const PrivateKey key = PrivateKey::generate(es256);
    const PublicKey reader = key.public_key();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&key, &reader, t] {
            for (int i = 0; i < 50; ++i) {
                const std::string message = std::to_string(t) + ' ' + std::to_string(i);
                const std::string signature = key.sign(message);
                ASSERT_TRUE(reader.verify(message, as_bytes(signature)));
                ASSERT_FALSE(reader.verify(message + ' ', as_bytes(signature)));
            }
        });
}

TEST(TOK_6, AKidIsMatchedExactly) {
    KeySet set;
    const PublicKey key = PublicKey::from_jwk(object(p256)).value();
    set.add(key, "one");
    EXPECT_NE(set.find("one"), nullptr);
    for (const std::string_view kid : {"", "One", "one ", "on", "../one", "' OR 1=1--"})
        EXPECT_EQ(set.find(kid), nullptr);
    EXPECT_EQ(set.find(std::string(1'000'000, 'a')), nullptr);
    EXPECT_EQ(set.find(std::string_view("one\0", 4)), nullptr);
    EXPECT_THROW(set.add(key, "one"), std::invalid_argument);
    EXPECT_THROW(set.add(key, ""), std::invalid_argument);
}

TEST(TOK_10, ThePublishedSetSaysAlgUseAndKid) {
    KeySet set;
    set.add(PublicKey::from_jwk(object(p256)).value(), "one");
    EXPECT_EQ(
        json::value(set.jwks()),
        json::parse(R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","alg":"ES256","use":"sig","kid":"one"}]})"));
    EXPECT_TRUE(KeySet::from_jwks(set.jwks()));
}

TEST(TOK_9, AProvidersSetIsTakenWholeOrNotAtAll) {
    const auto with_kid = [](std::string_view jwk, std::string_view kid) {
        json::object out = object(jwk);
        out["kid"] = kid;
        return out;
    };
    const auto set_of = [](json::array keys) {
        json::object out;
        out["keys"] = std::move(keys);
        return KeySet::from_jwks(out);
    };
    json::object encryption = with_kid(p256, "b");
    encryption["use"] = "enc";
    json::object foreign = with_kid(p256, "c");
    foreign["crv"] = "secp256k1";
    const auto good = set_of({with_kid(p256, "a"), encryption, foreign, with_kid(rsa, "d")});
    ASSERT_TRUE(good);
    EXPECT_NE(good->find("a"), nullptr);
    EXPECT_EQ(good->find("b"), nullptr);
    EXPECT_EQ(good->find("d")->algorithm(), rs256);

    json::object with_private = with_kid(p256, "b");
    with_private["d"] = "AA";
    json::object damaged = with_kid(p256, "b");
    damaged["y"] = damaged["x"];
    EXPECT_FALSE(set_of({with_kid(p256, "a"), with_kid(ed25519, "a")}));
    EXPECT_FALSE(set_of({with_kid(p256, "a"), with_private}));
    EXPECT_FALSE(set_of({with_kid(p256, "a"), damaged}));
    EXPECT_FALSE(set_of({with_kid(p256, "a"), object(R"({"kty":"oct","k":"AAAA","kid":"s"})")}));
    EXPECT_FALSE(set_of({with_kid(p256, "a"), 7}));
    EXPECT_FALSE(set_of({}));
    EXPECT_FALSE(KeySet::from_jwks({}));
    EXPECT_FALSE(KeySet::from_jwks(object(R"({"keys":{}})")));
}

}  // namespace
}  // namespace consentry::crypto
