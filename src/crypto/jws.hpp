// Signed tokens: JSON Web Signature, compact form (RFC 7515), with JSON claims (RFC 7519). The caller checks the
// meaning of the claims, and chooses the key set and `typ` that a token must match (TOK-7, TOK-8).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/bytes.hpp"
#include "crypto/key_set.hpp"
#include "crypto/signature_keys.hpp"

namespace consentry::crypto {

inline constexpr std::size_t token_size_max = 8192;  // characters, checked before anything is decoded (TOK-4)

// The header is exactly {"alg","kid","typ"}; `payload_json` is signed unchanged.
std::string sign_jws(const PrivateKey& key, std::string_view kid, std::string_view typ, std::string_view payload_json);

// A parsed token; nothing is verified. `signing_input` is a view into the token, which must outlive it.
struct SignedMessage {
    std::string_view signing_input;  // header and payload exactly as signed
    Bytes signature;
    std::string alg;
    std::string kid;  // empty where absent
    std::string typ;  // empty where absent
    Bytes payload;
};

// Strict (TOK-4, TOK-5): requires three non-empty base64url segments in canonical spelling, and a header that is a JSON
// object without duplicate names in which `alg` is a non-empty string, and `kid` and `typ`, if present, are strings.
// Rejects `crit`, `b64` and the members that embed or reference a key (jwk, jku, x5u, x5c). Returns nullopt if
// rejected.
std::optional<SignedMessage> parse_signed_message(std::string_view token);

struct CompactJws {
    std::string_view signing_input;
    Bytes signature;
    std::string alg;
    std::string kid;
    std::string typ;  // empty where absent
    boost::json::object claims;
};

// The same for JWTs: the header must have a kid, and the payload must be a JSON object without
// duplicate names, at most 8 levels deep. To verify, find the key by `kid`, compare `alg` with
// name_of(key->algorithm()), then call key->verify().
std::optional<CompactJws> parse_jws(std::string_view token);

}  // namespace consentry::crypto
