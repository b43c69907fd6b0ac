// The components of a public key, shared by the two source files that load one. Private to this folder.
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
    const char* group;          // OpenSSL's name for the curve
    std::size_t integer_bytes;  // size of a coordinate, and of r and s
};
const AlgorithmFacts& facts_of(SignatureAlgorithm algorithm);

struct PublicKey::Parts {
    const AlgorithmFacts* facts = nullptr;
    KeyHandle key;
    // Initialized once and copied for each use: initialization looks the algorithm up by name, copying does not.
    KeyContext verifier;
    std::array<std::uint8_t, 32> ed25519{};
    boost::json::object jwk;
};

}  // namespace consentry::crypto
