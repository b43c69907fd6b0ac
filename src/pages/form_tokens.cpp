#include "pages/form_tokens.hpp"

#include <algorithm>

#include "crypto/digest.hpp"
#include "crypto/random.hpp"

namespace consentry {
namespace {

constexpr std::size_t page_bytes = 12;
constexpr std::size_t page_characters = 16;  // of page_bytes in base64url

// `page` is of this page alone.
std::string token_of(const Bytes& key, std::string_view page, PageCookie cookie, std::string_view value) {
    const std::string_view kind = cookie == PageCookie::session ? "session" : "visitor";
    std::string bound(page);
    bound.append("\n").append(kind).append("\n").append(value);
    return std::string(page) + to_base64url(crypto::hmac_sha256(key, as_bytes(bound)));
}

}  // namespace

FormTokens::FormTokens(const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets)
        keys_.push_back(crypto::hkdf_sha256(as_bytes(secret), "consentry forms of pages", 32));
}

std::string FormTokens::make(PageCookie cookie, std::string_view value) const {
    return token_of(keys_.front(), to_base64url(crypto::random_bytes(page_bytes)), cookie, value);
}

bool FormTokens::is_of(std::string_view token, PageCookie cookie, std::string_view value) const {
    const std::string_view page = token.substr(0, page_characters);
    return std::ranges::any_of(keys_, [&](const Bytes& key) {
        return crypto::equal_constant_time(as_bytes(token_of(key, page, cookie, value)), as_bytes(token));
    });
}

}  // namespace consentry
