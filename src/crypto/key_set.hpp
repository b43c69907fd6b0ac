// The public keys that verify one kind of token, found by `kid` (RFC 7517 section 5).
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "crypto/signature_keys.hpp"

namespace consentry::crypto {

// Populated once, then read by any number of threads. To refresh it, replace the whole set.
class KeySet {
public:
    // Reads an identity provider's set. Skips keys for other uses and of unknown kinds (RFC 7517 section 5). Rejects
    // the whole set if it contains a damaged or symmetric key, a private member or a duplicate kid (TOK-9), or if it
    // contains no usable key.
    static std::expected<KeySet, std::string> from_jwks(const boost::json::object& jwks);

    // Throws std::invalid_argument if the kid is empty or already present.
    void add(PublicKey key, std::string kid);

    // Compares byte by byte; the kid is used for nothing else (TOK-6). Returns null if there is none; the set owns the
    // key.
    const PublicKey* find(std::string_view kid) const;
    bool empty() const { return keys_.empty(); }

    // Returns {"keys": [{kty, crv, x, y, alg, use: "sig", kid}]}, public members only (TOK-10).
    boost::json::object jwks() const;

private:
    std::map<std::string, PublicKey, std::less<>> keys_;
};

}  // namespace consentry::crypto
