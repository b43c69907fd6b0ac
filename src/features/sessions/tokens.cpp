#include "features/sessions/tokens.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "crypto/random.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

// RFC 9068 section 2.1 for access tokens; refresh tokens use an analogous type.
constexpr std::string_view typ_of(TokenKind kind) { return kind == TokenKind::access ? "at+jwt" : "rt+jwt"; }

std::string payload(const TokenSettings& settings, const TokenClaims& claims, std::int64_t expires_at) {
    std::string out = R"({"iss":)";
    append_json_string(out, settings.issuer);
    out.append(R"(,"aud":)");
    append_json_string(out, settings.audience);
    fmt::format_to(
        std::back_inserter(out),
        R"(,"sub":"{}","jti":"{}","sid":"{}","iat":{},"exp":{},"loginAt":"{}","loginFrom":"{}","loginWith":"{}"}})",
        claims.user.text(), claims.jti, claims.session.text(), claims.issued_at, expires_at,
        to_iso8601(claims.login_at), name_of(claims.login_from), name_of(claims.login_with));
    return out;
}

// A NumericDate (RFC 7519 section 2) that is an integer exactly representable as a double.
std::optional<std::int64_t> numeric_date(const json::object& claims, std::string_view name) {
    const auto* value = claims.if_contains(name);
    if (value == nullptr || !value->is_int64()) return std::nullopt;
    const std::int64_t seconds = value->get_int64();
    if (seconds < 0 || seconds > std::int64_t{1} << 53) return std::nullopt;
    return seconds;
}

bool is_audience(const json::value* audience, std::string_view ours) {
    if (audience == nullptr) return false;
    if (audience->is_string()) return audience->get_string() == ours;
    if (!audience->is_array()) return false;
    bool found = false;
    for (const auto& one : audience->get_array()) {
        if (!one.is_string()) return false;
        found |= one.get_string() == ours;
    }
    return found;
}

}  // namespace

crypto::Sha256 token_digest(TokenKind kind, std::string_view token) {
    // The prefix of the kind prevents a token from being recognized as the other kind.
    thread_local std::string buffer;
    buffer.assign(kind == TokenKind::access ? "a:" : "r:");
    buffer.append(token);
    return crypto::sha256(std::string_view(buffer));
}

bool same_digest(BytesView stored, const crypto::Sha256& digest) {
    return crypto::equal_constant_time(stored, BytesView(digest));
}

std::string new_jti() {
    constexpr std::size_t length = 32;  // of 62 letters and digits: 190 bits (SES-4)
    return crypto::random_text(length, crypto::alphanumerics);
}

TokenPair Tokens::issue(const TokenClaims& claims, TimePoint now, TimePoint session_expires_at) const {
    const std::int64_t end = epoch_seconds(session_expires_at);
    const std::int64_t access_end = std::min(epoch_seconds(now) + settings_.access_lifetime.count(), end);
    const auto access = keys_.keys(TokenKind::access);
    const auto refresh = keys_.keys(TokenKind::refresh);
    TokenPair pair;
    pair.access_token = crypto::sign_jws(access->signing->key, access->signing->kid, typ_of(TokenKind::access),
                                         payload(settings_, claims, access_end));
    pair.refresh_token = crypto::sign_jws(refresh->signing->key, refresh->signing->kid, typ_of(TokenKind::refresh),
                                          payload(settings_, claims, end));
    pair.expires_in = access_end - epoch_seconds(now);
    return pair;
}

std::optional<Tokens::Candidate> Tokens::examine(TokenKind kind, std::string_view token, TimePoint now) const {
    auto jws = crypto::parse_jws(token);
    if (!jws || jws->typ != typ_of(kind)) return std::nullopt;
    const auto keys = keys_.keys(kind);
    const crypto::PublicKey* key = keys->find(jws->kid);
    // The key determines the algorithm; the token's header only has to agree (TOK-1).
    if (key == nullptr || jws->alg != name_of(key->algorithm())) return std::nullopt;
    const auto claims = claims_of(jws->claims, now);
    if (!claims) return std::nullopt;
    return Candidate{*claims, *key, std::move(*jws)};
}

std::optional<TokenClaims> Tokens::claims_of(const json::object& json, TimePoint now) const {
    const auto issuer = text_member(json, "iss");
    const auto subject = text_member(json, "sub");
    const auto session = text_member(json, "sid");
    const auto jti = text_member(json, "jti");
    const auto issued_at = numeric_date(json, "iat");
    const auto expires_at = numeric_date(json, "exp");
    const auto login_from = text_member(json, "loginFrom");
    const auto login_with = text_member(json, "loginWith");
    if (!issuer || *issuer != settings_.issuer || !is_audience(json.if_contains("aud"), settings_.audience)) return {};
    if (!subject || !session || !jti || jti->empty() || !issued_at || !expires_at || !login_from || !login_with)
        return {};
    const std::int64_t now_seconds = epoch_seconds(now);
    // exp has no leeway.
    if (*expires_at <= now_seconds || *issued_at > now_seconds + clock_ahead_max.count()) return {};
    if (json.contains("nbf")) {
        const auto not_before = numeric_date(json, "nbf");
        if (!not_before || *not_before > now_seconds) return {};
    }
    const auto user_id = UserId::parse(*subject);
    const auto session_id = SessionId::parse(*session);
    const auto from = find_enum<LoginFrom>(*login_from);
    const auto with = find_enum<LoginWith>(*login_with);
    if (!user_id || !session_id || !from || !with) return {};
    TokenClaims claims;
    claims.user = *user_id;
    claims.session = *session_id;
    claims.jti = *jti;
    claims.issued_at = *issued_at;
    claims.expires_at = *expires_at;
    claims.login_from = *from;
    claims.login_with = *with;
    return claims;
}

}  // namespace consentry
