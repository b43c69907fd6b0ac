// The value of the cookie that identifies a browser: whose session it is, and a secret of 256 bits.
//
// The database holds only digests of the secret. The session's jti is one of them, so that the cached copies of
// sessions serve cookies and tokens alike; its access digest is another, which a token can never have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.hpp"
#include "crypto/digest.hpp"

namespace consentry {

struct SessionCookie {
    UserId user;
    SessionId session;
    Bytes secret;

    // With a new secret.
    static SessionCookie make(UserId user, SessionId session);
    // Returns nullopt for anything that text() cannot return.
    static std::optional<SessionCookie> parse(std::string_view text);

    std::string text() const;  // 86 letters, digits, '-' and '_'
    std::string jti() const;
    crypto::Sha256 digest() const;
};

}  // namespace consentry
