// The public keys a kind of token is verified with, found by `kid` (RFC 7517 section 5).
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "crypto/signature_keys.hpp"

namespace consentry::crypto {

// Filled once, then only read, by any number of threads. Replace it as a whole to refresh it.
class KeySet {
public:
    // A provider's set. Keys for other uses and of kinds we do not know are passed over (RFC 7517 section 5); a damaged
    // or symmetric key, a private member or a second key of the same kid refuse the whole set (TOK-9), and so does a
    // set without one usable key.
    static std::expected<KeySet, std::string> from_jwks(const boost::json::object& jwks);

    // Throws std::invalid_argument for an empty kid, or one that is there already.
    void add(PublicKey key, std::string kid);

    // Exact, byte by byte; the kid serves for nothing else (TOK-6). Owned by the set.
    const PublicKey* find(std::string_view kid) const;
    bool empty() const { return keys_.empty(); }

    // {"keys": [{kty, crv, x, y, alg, use: "sig", kid}]}, public members only (TOK-10).
    boost::json::object jwks() const;

private:
    std::map<std::string, PublicKey, std::less<>> keys_;
};

}  // namespace consentry::crypto
