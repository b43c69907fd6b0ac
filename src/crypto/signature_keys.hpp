// Keys that sign and verify tokens. Keys are checked when they are loaded (TOK-9) and immutable afterwards; copies
// share one key; every member function is thread-safe. A key knows its one algorithm: a token never chooses it (TOK-1).
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/bytes.hpp"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace consentry::crypto {

enum class SignatureAlgorithm {
    es256,  // ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4)
    es384,
    es512,  // ECDSA on P-521 with SHA-512
    eddsa,  // Ed25519 (RFC 8037)
    rs256,  // RSASSA-PKCS1-v1_5 with SHA-256: verified for identity providers that sign so, never used to sign
};

std::string_view name_of(SignatureAlgorithm algorithm);  // as in `alg`: "ES256" ... "EdDSA", "RS256"

// The algorithms this service may sign with, so not RS256. Exact, case included; anything else is nullopt.
std::optional<SignatureAlgorithm> find_algorithm(std::string_view exact);

class PublicKey {
public:
    // The error says what is wrong, in words for the log. Refused: another type or curve than the algorithm's, points
    // off the curve, curves given by parameters, trailing bytes; RSA below 2048 bits, with an exponent below 3 or even,
    // or with the mark of the ROCA weakness (CVE-2017-15361).
    static std::expected<PublicKey, std::string> from_spki_der(BytesView der, SignatureAlgorithm algorithm);
    static std::expected<PublicKey, std::string> from_pem(std::string_view pem, SignatureAlgorithm algorithm);
    // RFC 7517, 7518 section 6, 8037. The algorithm follows from kty and crv; `alg`, `use` and `key_ops`, where given,
    // must agree and allow verification. A private member refuses the key.
    static std::expected<PublicKey, std::string> from_jwk(const boost::json::object& jwk);

    SignatureAlgorithm algorithm() const;
    // The signature as in a token: ECDSA as r || s of exactly the curve's length, with 1 <= r, s <= n-1 (TOK-2).
    bool verify(std::string_view signing_input, BytesView raw_signature) const;

    boost::json::object jwk() const;  // kty, crv, x, y (or n, e) and nothing else
    std::string thumbprint() const;   // RFC 7638 over SHA-256, base64url: our kid
    Bytes spki_der() const;

private:
    friend class PrivateKey;
    struct Parts;
    // Takes the key over, checks it against the algorithm and prepares it.
    static std::expected<PublicKey, std::string> adopt(evp_pkey_st* key, SignatureAlgorithm algorithm);
    explicit PublicKey(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<const Parts> parts_;
};

class PrivateKey {
public:
    // Throws std::invalid_argument for RS256.
    static PrivateKey generate(SignatureAlgorithm algorithm);
    // PKCS#8 (RFC 5958), not encrypted. Refused: as for public keys, and halves that do not belong together.
    static std::expected<PrivateKey, std::string> from_pkcs8_der(BytesView der, SignatureAlgorithm algorithm);
    static std::expected<PrivateKey, std::string> from_pem(std::string_view pem, SignatureAlgorithm algorithm);

    // Secret: whoever receives these wipes them.
    std::string pem() const;
    Bytes pkcs8_der() const;

    PublicKey public_key() const;
    SignatureAlgorithm algorithm() const;
    std::string sign(std::string_view signing_input) const;  // the bytes of a raw signature

private:
    struct Parts;
    explicit PrivateKey(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
    static std::expected<PrivateKey, std::string> adopt(evp_pkey_st* key, SignatureAlgorithm algorithm);
    std::shared_ptr<const Parts> parts_;
};

}  // namespace consentry::crypto
