// Keys that sign and verify tokens. Keys are validated when loaded (TOK-9) and immutable afterwards; copies share one
// key; all member functions are thread-safe. Each key is bound to one algorithm, so a token never chooses it (TOK-1).
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
    rs256,  // RSASSA-PKCS1-v1_5 with SHA-256: only to verify tokens of identity providers, never to sign
};

std::string_view name_of(SignatureAlgorithm algorithm);  // the value of `alg`: "ES256" ... "EdDSA", "RS256"

// Finds an algorithm this service may sign with, hence not RS256. Case-sensitive; returns nullopt for anything else.
std::optional<SignatureAlgorithm> find_algorithm(std::string_view exact);

class PublicKey {
public:
    // The error describes the problem for the log. Rejects a type or curve that does not match the algorithm, points
    // off the curve, explicit curve parameters, trailing bytes, and RSA keys that are shorter than 2048 bits, have an
    // exponent below 3 or even, or carry the ROCA fingerprint (CVE-2017-15361).
    static std::expected<PublicKey, std::string> from_spki_der(BytesView der, SignatureAlgorithm algorithm);
    static std::expected<PublicKey, std::string> from_pem(std::string_view pem, SignatureAlgorithm algorithm);
    // RFC 7517, 7518 section 6, 8037. kty and crv determine the algorithm; `alg`, `use` and `key_ops`, if present, must
    // be consistent and allow verification. Rejects a key with a private member.
    static std::expected<PublicKey, std::string> from_jwk(const boost::json::object& jwk);
    // The 32 bytes of RFC 8032 section 5.1.5.
    static std::expected<PublicKey, std::string> from_ed25519(BytesView point);

    SignatureAlgorithm algorithm() const;
    // Takes the signature as in a token: for ECDSA, r || s with exactly the curve's length and 1 <= r, s <= n-1
    // (TOK-2).
    bool verify(std::string_view signing_input, BytesView raw_signature) const;

    boost::json::object jwk() const;  // kty, crv, x, y (or n, e) only
    std::string thumbprint() const;   // RFC 7638 with SHA-256, base64url: the kid of this service's keys
    Bytes spki_der() const;
    Bytes ed25519() const;  // what from_ed25519() reads; throws std::logic_error for other algorithms

private:
    friend class PrivateKey;
    struct Parts;
    // Takes ownership of the key, validates it against the algorithm and prepares it for use.
    static std::expected<PublicKey, std::string> adopt(evp_pkey_st* owned, SignatureAlgorithm algorithm);
    explicit PublicKey(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<const Parts> parts_;
};

class PrivateKey {
public:
    // Throws std::invalid_argument for RS256.
    static PrivateKey generate(SignatureAlgorithm algorithm);
    // PKCS#8 (RFC 5958), unencrypted. Rejects the same as for public keys, and mismatched private and public halves.
    static std::expected<PrivateKey, std::string> from_pkcs8_der(BytesView der, SignatureAlgorithm algorithm);
    static std::expected<PrivateKey, std::string> from_pem(std::string_view pem, SignatureAlgorithm algorithm);
    // The 32 random bytes that RFC 8032 section 5.1.5 calls the private key.
    static std::expected<PrivateKey, std::string> from_ed25519_seed(BytesView seed);

    // Secret: the caller must wipe the results.
    std::string pem() const;
    Bytes pkcs8_der() const;
    Bytes ed25519_seed() const;  // throws std::logic_error for other algorithms

    PublicKey public_key() const;
    SignatureAlgorithm algorithm() const;
    std::string sign(std::string_view signing_input) const;  // returns the raw signature bytes

private:
    struct Parts;
    explicit PrivateKey(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
    static std::expected<PrivateKey, std::string> adopt(evp_pkey_st* owned, SignatureAlgorithm algorithm);
    std::shared_ptr<const Parts> parts_;
};

}  // namespace consentry::crypto
