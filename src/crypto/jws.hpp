// Signed tokens: JSON Web Signature, compact form (RFC 7515), with JSON claims (RFC 7519). What the claims mean, and
// which key set and `typ` a place wants, is the caller's to check (TOK-7, TOK-8).
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

// Header exactly {"alg","kid","typ"}; `payload_json` goes in as it is.
std::string sign_jws(const PrivateKey& key, std::string_view kid, std::string_view typ, std::string_view payload_json);

// A token taken apart, nothing verified. `signing_input` views the token, which must outlive it.
struct SignedMessage {
    std::string_view signing_input;  // header and payload as they were signed
    Bytes signature;
    std::string alg;
    std::string kid;  // empty where absent
    std::string typ;  // empty where absent
    Bytes payload;
};

// Strict (TOK-4, TOK-5): three non-empty base64url segments in one spelling; a header that is a JSON object without
// duplicate names, with `alg` a non-empty string, `kid` and `typ` strings where given. Refused: `crit`, `b64`, and the
// members that would bring a key along (jwk, jku, x5u, x5c). nullopt: refused.
std::optional<SignedMessage> parse_signed_message(std::string_view token);

struct CompactJws {
    std::string_view signing_input;
    Bytes signature;
    std::string alg;
    std::string kid;
    std::string typ;  // empty where absent
    boost::json::object claims;
};

// The same for tokens: the header has a kid, and the payload is a JSON object without duplicate names, at most 8 deep.
// To verify: find the key by `kid`, compare `alg` with name_of(key->algorithm()), then key->verify().
std::optional<CompactJws> parse_jws(std::string_view token);

}  // namespace consentry::crypto
