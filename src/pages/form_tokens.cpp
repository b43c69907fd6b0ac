#include "pages/form_tokens.hpp"

#include <algorithm>

#include "crypto/digest.hpp"

namespace consentry {
namespace {

std::string token_of(const Bytes& key, PageCookie cookie, std::string_view value) {
    const std::string bound = std::string(cookie == PageCookie::session ? "session" : "visitor") + "\n";
    return to_base64url(crypto::hmac_sha256(key, as_bytes(bound + std::string(value))));
}

}  // namespace

FormTokens::FormTokens(const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets)
        keys_.push_back(crypto::hkdf_sha256(as_bytes(secret), "consentry forms of pages", 32));
}

std::string FormTokens::make(PageCookie cookie, std::string_view value) const {
    return token_of(keys_.front(), cookie, value);
}

bool FormTokens::is_of(std::string_view token, PageCookie cookie, std::string_view value) const {
    return std::ranges::any_of(keys_, [&](const Bytes& key) {
        return crypto::equal_constant_time(as_bytes(token_of(key, cookie, value)), as_bytes(token));
    });
}

}  // namespace consentry
