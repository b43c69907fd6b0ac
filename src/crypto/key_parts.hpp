// What a public key is made of, shared by the two sources that load it. For this folder only.
#pragma once

#include <array>
#include <string>

#include "crypto/openssl_handles.hpp"
#include "crypto/signature_keys.hpp"

namespace consentry::crypto {

struct AlgorithmFacts {
    SignatureAlgorithm algorithm;
    std::string_view name;
    std::string_view curve;     // `crv` of a JWK; empty for RSA
    const char* group;          // OpenSSL's name of the curve
    std::size_t integer_bytes;  // of a coordinate, of r and of s
};
const AlgorithmFacts& facts_of(SignatureAlgorithm algorithm);

struct PublicKey::Parts {
    const AlgorithmFacts* facts = nullptr;
    KeyHandle key;
    // Set up once and copied for each use: setting up finds the algorithm by name, copying does not.
    KeyContext verifier;
    std::array<std::uint8_t, 32> ed25519{};
    boost::json::object jwk;
};

}  // namespace consentry::crypto
