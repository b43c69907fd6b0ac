#include "crypto/jws.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

namespace json = boost::json;
using enum SignatureAlgorithm;

PublicKey key_of(std::string_view jwk) { return PublicKey::from_jwk(json::parse(jwk).as_object()).value(); }

std::string encoded(std::string_view text) { return to_base64url(as_bytes(text)); }

// The token is signed, so that only its form can cause a rejection.
std::string token_of(std::string_view header, std::string_view payload) {
    static const PrivateKey key = PrivateKey::generate(es256);
    const std::string input = encoded(header) + '.' + encoded(payload);
    return input + '.' + encoded(key.sign(input));
}

constexpr std::string_view good_header = R"({"alg":"ES256","kid":"one","typ":"at+jwt"})";
constexpr std::string_view good_claims = R"({"sub":"mike","exp":1300819380})";

TEST(Jws, WhatIsSignedIsReadBack) {
    for (const auto algorithm : {es256, es384, es512, eddsa}) {
        const PrivateKey key = PrivateKey::generate(algorithm);
        const std::string token = sign_jws(key, "key \"1\"", "at+jwt", good_claims);
        const auto jws = parse_jws(token);
        ASSERT_TRUE(jws);
        EXPECT_EQ(jws->alg, name_of(algorithm));
        EXPECT_EQ(jws->kid, "key \"1\"");
        EXPECT_EQ(jws->typ, "at+jwt");
        EXPECT_EQ(json::serialize(jws->claims), good_claims);
        EXPECT_TRUE(key.public_key().verify(jws->signing_input, jws->signature));
    }
}

TEST(Jws, TheHeaderHasItsThreeMembersInOrder) {
    const std::string token = sign_jws(PrivateKey::generate(es256), "one", "at+jwt", good_claims);
    EXPECT_EQ(token.substr(0, token.find('.')), encoded(good_header));
}

TEST(Jws, Es256OfRfc7515A3) {
    const PublicKey key = key_of(R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                                 R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})");
    const std::string token =
        "eyJhbGciOiJFUzI1NiJ9."
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
        "VlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    const auto message = parse_signed_message(token);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->alg, "ES256");
    EXPECT_TRUE(key.verify(message->signing_input, message->signature));
    EXPECT_EQ(json::parse(as_text(message->payload)).at("iss"), "joe");
    EXPECT_FALSE(parse_jws(token)) << "a token of ours names its key";
}

TEST(Jws, Es512OfRfc7515A4) {
    const PublicKey key =
        key_of(R"({"kty":"EC","crv":"P-521",)"
               R"("x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",)"
               R"("y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"})");
    const auto message = parse_signed_message(
        "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-"
        "KGDKB34XO"
        "0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn");
    ASSERT_TRUE(message);
    EXPECT_EQ(as_text(message->payload), "Payload");
    EXPECT_TRUE(key.verify(message->signing_input, message->signature));
}

TEST(TOK_4, UnsecuredTokensAreRefused) {
    // The example of RFC 7515, appendix A.5, and RFC 7519, section 6.1.
    const std::string token =
        "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
        "VlfQ.";
    EXPECT_FALSE(parse_signed_message(token));
    EXPECT_FALSE(parse_jws(token));
}

TEST(TOK_4, CompactFormInOneSpelling) {
    const std::string good = token_of(good_header, good_claims);
    ASSERT_TRUE(parse_jws(good));
    const auto first = good.find('.');
    const auto second = good.find('.', first + 1);
    const std::string header = good.substr(0, first);
    const std::string claims = good.substr(first + 1, second - first - 1);
    const std::string signature = good.substr(second + 1);
    for (const std::string& token : {std::string(),
                                     std::string("."),
                                     std::string(".."),
                                     std::string("..."),
                                     header,
                                     header + '.' + claims,
                                     header + '.' + claims + '.',
                                     '.' + claims + '.' + signature,
                                     header + ".." + signature,
                                     good + '.',
                                     good + '.' + signature,
                                     '.' + good,
                                     good + ".a.b",
                                     ' ' + good,
                                     good + ' ',
                                     good + '\n',
                                     good + '=',
                                     header + "=." + claims + '.' + signature,
                                     header + '.' + claims + "=." + signature,
                                     header + ". " + claims + '.' + signature,
                                     header + '.' + claims + '.' + signature.substr(0, 5) + "+/",
                                     R"({"payload":")" + claims + R"("})",
                                     good + '\0'})
        EXPECT_FALSE(parse_jws(token)) << token;
    // A signature of 64 bytes ends with a character that has four unused bits. The canonical spelling sets them to
    // zero.
    std::string other_bits = good;
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    other_bits.back() = alphabet[alphabet.find(good.back()) + 1];
    EXPECT_FALSE(parse_jws(other_bits));
}

TEST(TOK_4, LongTokensAreRefusedBeforeDecoding) {
    EXPECT_FALSE(parse_jws(std::string(1'000'000, 'A')));
    const auto padded = [](std::size_t size) {
        return token_of(good_header, R"({"sub":")" + std::string(size, 'x') + R"("})");
    };
    EXPECT_TRUE(parse_jws(padded(5900)));
    EXPECT_FALSE(parse_jws(padded(6200)));
}

TEST(TOK_5, HeadersThatBringAKeyOrWantMoreAreRefused) {
    const std::string_view members[] = {R"("crit":["exp"])",
                                        R"("crit":[])",
                                        R"("b64":false)",
                                        R"("b64":true)",
                                        R"("jwk":{"kty":"EC"})",
                                        R"("jku":"https://evil.example/keys")",
                                        R"("x5u":"https://evil.example/cert")",
                                        R"("x5c":["AAAA"])",
                                        R"("alg":"ES256")",
                                        R"("kid":"two")",
                                        R"("typ":"at+jwt")"};
    for (const std::string_view member : members) {
        const std::string header =
            std::string(good_header.substr(0, good_header.size() - 1)) + ',' + std::string(member) + '}';
        EXPECT_FALSE(parse_jws(token_of(header, good_claims))) << header;
    }
    EXPECT_TRUE(parse_jws(token_of(R"({ "kid" : "one" , "alg":"ES256", "cty":"x", "x5t":"AA" })", good_claims)));
}

TEST(TOK_5, HeadersAndClaimsAreStrictJson) {
    for (const std::string_view header : {"",
                                          "null",
                                          "[]",
                                          "\"x\"",
                                          "{",
                                          "{}",
                                          R"({"alg":"ES256"})",
                                          R"({"kid":"one"})",
                                          R"({"alg":"","kid":"one"})",
                                          R"({"alg":"ES256","kid":""})",
                                          R"({"alg":["ES256"],"kid":"one"})",
                                          R"({"alg":null,"kid":"one"})",
                                          R"({"alg":"ES256","kid":1})",
                                          R"({"alg":"ES256","kid":"one","typ":null})",
                                          R"({"alg":"ES256","kid":"one"}x)",
                                          R"({"alg":"ES256","kid":"one",})",
                                          R"({"alg":"ES256","kid":"one","a":{"b":1,"b":2}})",
                                          R"({"alg":"ES256","\u0061lg":"none","kid":"one"})",
                                          "{\"alg\":\"ES256\",\"kid\":\"\xFF\"}",
                                          "\xEF\xBB\xBF{\"alg\":\"ES256\",\"kid\":\"one\"}"})
        EXPECT_FALSE(parse_jws(token_of(header, good_claims))) << header;
    for (const std::string_view claims :
         {"", "foo", "[]", "1", R"({"sub":"a","sub":"b"})", R"({"a":{"b":1,"b":1}})", R"({"a":[{"b":1,"b":1}]})",
          "{\"sub\":\"\xC0\xAF\"}", R"({"sub":"\ud800"})", R"({"a":[[[[[[[[1]]]]]]]]})", R"({"exp":1e400})",
          R"({"sub":"a"} {"sub":"b"})", R"({"exp":01})", R"(/**/{"sub":"a"})"})
        EXPECT_FALSE(parse_jws(token_of(good_header, claims))) << claims;
    EXPECT_TRUE(parse_jws(token_of(good_header, "{}")));
}

TEST(TOK_3, AMalleatedSignatureStillVerifies) {
    // Both s and n - s are valid. Therefore the service identifies a token by its jti, never by its text.
    const PrivateKey key = PrivateKey::generate(es256);
    const std::string signature = key.sign("message");
    const Bytes order = from_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").value();
    Bytes twin(signature.begin(), signature.end());
    int borrow = 0;
    for (std::size_t i = 32; i-- > 0;) {
        int difference = order[i] - twin[32 + i] - borrow;
        borrow = difference < 0 ? 1 : 0;
        twin[32 + i] = static_cast<std::uint8_t>(difference + 256 * borrow);
    }
    EXPECT_NE(as_text(twin), signature);
    EXPECT_TRUE(key.public_key().verify("message", twin));
}

}  // namespace
}  // namespace consentry::crypto
