#include "crypto/known_answers.hpp"

#include <stdexcept>
#include <string>

#include <boost/json/parse.hpp>

#include "crypto/aead.hpp"
#include "crypto/digest.hpp"
#include "crypto/jws.hpp"
#include "crypto/password_hash.hpp"
#include "crypto/random.hpp"
#include "crypto/totp.hpp"

namespace consentry::crypto {
namespace {

void expect(bool right, const char* primitive) {
    if (!right) throw std::runtime_error(std::string(primitive) + " failed its known-answer test; not starting");
}

void check_digests() {
    // FIPS 180-4 example; RFC 4231 case 2; RFC 4226 appendix D (SHA-1); RFC 5869 case 3
    expect(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256");
    expect(to_hex(hmac_sha256(as_bytes("Jefe"), as_bytes("what do ya want for nothing?"))) ==
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
           "HMAC-SHA-256");
    expect(hotp(as_bytes("12345678901234567890"), 1, 6) == "287082", "HMAC-SHA-1");
    expect(to_hex(hkdf_sha256(Bytes(22, 0x0b), "", 42)) ==
               "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
           "HKDF");
}

void check_encryption() {
    // The GCM specification's test case 14: a zero key, IV and block.
    const Bytes key(32);
    const Bytes iv(12);
    Bytes sealed = aes_256_gcm_seal(key, iv, Bytes(16), {});
    expect(to_hex(sealed) == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919", "AES-256-GCM");
    expect(aes_256_gcm_open(key, iv, sealed, {}) == Bytes(16), "AES-256-GCM");
    sealed.back() ^= 1;
    expect(!aes_256_gcm_open(key, iv, sealed, {}), "AES-256-GCM");
}

void check_passwords() {
    // Each at its minimum cost. Argon2id and bcrypt come from their reference implementations; scrypt and PBKDF2 use
    // the functions of RFC 7914 and were computed by another implementation.
    const Argon2Settings cheap{.memory_kib = 8, .passes = 1};
    const auto matches = [&](std::string_view password, std::string_view stored) {
        return verify_password(password, stored, cheap) != PasswordVerdict::mismatch;
    };
    constexpr std::string_view argon2id =
        "$argon2id$v=19$m=64,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$gAwJW5vx5itn2V9KHlEUjyUCrpDYgKyQf0gMaHGx1h4";
    expect(matches("correct horse battery staple", argon2id), "Argon2id");
    expect(!matches("correct horse battery stapler", argon2id), "Argon2id");
    expect(matches("U*U", "$2a$04$CCCCCCCCCCCCCCCCCCCCC.K7Qr0se1MxuggH4aP4YgB.U2Em1pGSK"), "bcrypt");
    expect(matches("password", "$scrypt$ln=4,r=1,p=1$TmFDbA$rsa3SD7SbgiAK0H0AyCGoOiGvnrEj8/ZL/DO+BCXUvQ"), "scrypt");
    expect(matches("password", "$pbkdf2-sha256$i=2$c2FsdA$rk0Mla9rRtMtCt/5KPBt0CowP47zwlHf1uLYWpVHTEM"), "PBKDF2");
}

struct SignedExample {
    const char* name;
    std::string_view jwk;
    std::string_view input;
    std::string_view signature;  // base64url
};

// RFC 7515 appendix A.2, A.3 and A.4; RFC 6979 appendix A.2.6 (P-384, "sample"); RFC 8037 appendix A.4
constexpr SignedExample signed_examples[] = {
    {"ES256",
     R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
     R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})",
     "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
     "fQ",
     "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"},
    {"ES384",
     R"({"kty":"EC","crv":"P-384","x":"7DpOQVtOGaRWhhgCn0J_pdqai8SukuAuBqrlKGswDGTe-PDqkFWGYGSiVFFUgLwT",)"
     R"("y":"gBXZty19VyROqO-awMYhiWcIpZNn-d-59UyoSz8cnbEoiyMcOuDU_nNE_SUzJkcg"})",
     "sample",
     "lO27kqXsuKrUc25WxpGRaz-IFAZmzp-nPWTE6pWtEzyBpkgVLkSs-W423R6A-r5Gme9K6xXxeM6h_kDbJgMTjxMOdAoZYkUmIDtjUdCjqU-"
     "jKcFFeG5n"
     "nnuCxxo4YorI"},
    {"ES512",
     R"({"kty":"EC","crv":"P-521",)"
     R"("x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",)"
     R"("y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"})",
     "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA",
     "AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_"
     "7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3"
     "xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn"},
    {"EdDSA", R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})",
     "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
     "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"},
    {"RS256",
     R"({"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJ)"
     R"(PMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e)"
     R"(-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM)"
     R"(Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ"})",
     "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
     "fQ",
     "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
     "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZ"
     "cAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--"
     "xi12jzDwusC-e"
     "OkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"},
};

void check_signatures() {
    for (const SignedExample& example : signed_examples) {
        const auto key = PublicKey::from_jwk(boost::json::parse(example.jwk).as_object());
        expect(key.has_value(), example.name);
        expect(key->verify(example.input, from_base64url(example.signature).value()), example.name);
    }
    // Signing has no fixed answer (ECDSA is randomized), so the signature is verified instead, and must not verify for
    // a different message.
    for (const auto algorithm : {SignatureAlgorithm::es256, SignatureAlgorithm::eddsa}) {
        const PrivateKey key = PrivateKey::generate(algorithm);
        const std::string signature = key.sign("sample");
        expect(key.public_key().verify("sample", as_bytes(signature)), "signing");
        expect(!key.public_key().verify("Sample", as_bytes(signature)), "signing");
    }
}

}  // namespace

void run_known_answer_tests() {
    expect(random_bytes(32) != random_bytes(32), "the random generator");
    check_digests();
    check_encryption();
    check_passwords();
    check_signatures();
}

}  // namespace consentry::crypto
