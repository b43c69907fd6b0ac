#include "features/sessions/session_cookie.hpp"

#include <array>

#include "crypto/random.hpp"

namespace consentry {
namespace {

constexpr std::size_t id_bytes = 16;
constexpr std::size_t secret_bytes = 32;

Uuid uuid_at(BytesView bytes) {
    return Uuid{to_array<std::array<std::uint8_t, id_bytes>>(bytes.first(id_bytes)).value()};
}

// Each purpose has a digest of its own, so that knowing one is no help with the other.
crypto::Sha256 digest_for(std::string_view purpose, const SessionCookie& cookie) {
    return crypto::sha256(std::string(purpose) + "\n" + cookie.text());
}

}  // namespace

SessionCookie SessionCookie::make(UserId user, SessionId session) {
    return {user, session, crypto::random_bytes(secret_bytes)};
}

std::optional<SessionCookie> SessionCookie::parse(std::string_view text) {
    const auto bytes = from_base64url(text);
    if (!bytes || bytes->size() != 2 * id_bytes + secret_bytes) return std::nullopt;
    const BytesView view(*bytes);
    return SessionCookie{UserId{uuid_at(view)}, SessionId{uuid_at(view.subspan(id_bytes))},
                         Bytes(view.begin() + 2 * id_bytes, view.end())};
}

std::string SessionCookie::text() const {
    Bytes bytes;
    bytes.insert(bytes.end(), user.uuid().bytes().begin(), user.uuid().bytes().end());
    bytes.insert(bytes.end(), session.uuid().bytes().begin(), session.uuid().bytes().end());
    bytes.insert(bytes.end(), secret.begin(), secret.end());
    return to_base64url(bytes);
}

std::string SessionCookie::jti() const { return to_base64url(digest_for("jti of a browser session", *this)); }

crypto::Sha256 SessionCookie::digest() const { return digest_for("cookie of a browser session", *this); }

}  // namespace consentry
