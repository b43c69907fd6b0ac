// Access and refresh tokens: JWTs (RFC 7519) in compact JWS form.
//
// Both tokens of a pair carry the session's jti; `typ` (at+jwt, rt+jwt), separate keys and the session's row keep the
// kinds apart (TOK-7). The claims are exactly: iss, aud, sub, jti, sid, iat, exp, loginAt, loginFrom, loginWith.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/digest.hpp"
#include "crypto/jws.hpp"
#include "features/sessions/key_ring.hpp"
#include "features/users/user.hpp"

namespace consentry {

struct TokenClaims {
    UserId user;
    SessionId session;
    std::string jti;
    std::int64_t issued_at = 0;   // seconds, as in the token
    std::int64_t expires_at = 0;  // seconds; invalid from this second on
    TimePoint login_at;
    LoginFrom login_from = LoginFrom::website;
    LoginWith login_with = LoginWith::credential;
};

struct TokenPair {
    std::string access_token;
    std::string refresh_token;
    std::int64_t expires_in = 0;  // lifetime of the access token, seconds
};

struct TokenSettings {
    std::string issuer;
    std::string audience;
    std::chrono::seconds access_lifetime{3600};
    std::chrono::seconds refresh_lifetime{2'592'000};
    std::chrono::seconds admin_lifetime{86'400};  // of an admin's whole session
};

// The digest that identifies a token, computed over its kind and full text.
crypto::Sha256 token_digest(TokenKind kind, std::string_view token);

bool same_digest(BytesView stored, const crypto::Sha256& digest);

// The jti of a new session, or of its next pair of tokens.
std::string new_jti();

class Tokens {
public:
    Tokens(KeyRing& keys, TokenSettings settings) : keys_(keys), settings_(std::move(settings)) {}

    // Signs both tokens. A P-521 signature takes 0.2 ms or more, so do not call this on an I/O thread.
    TokenPair issue(const TokenClaims& claims, TimePoint now, TimePoint session_expires_at) const;

    // A parsed token whose claims were checked (TOK-4, TOK-5, TOK-8) and whose key was found (TOK-1, TOK-6), but whose
    // signature was not. examine() returns nullopt for a token that no signature could make valid. `now` is compared
    // with exp, nbf and iat.
    struct Candidate {
        TokenClaims claims;
        crypto::PublicKey key;
        crypto::CompactJws jws;
    };
    std::optional<Candidate> examine(TokenKind kind, std::string_view token, TimePoint now) const;

    const TokenSettings& settings() const { return settings_; }
    // Increases whenever the set of accepted keys changes.
    std::uint64_t keys_generation() const { return keys_.generation(); }

private:
    std::optional<TokenClaims> claims_of(const boost::json::object& json, TimePoint now) const;
    KeyRing& keys_;
    TokenSettings settings_;
};

}  // namespace consentry
