#include "features/sessions/successors.hpp"

#include "crypto/aead.hpp"

namespace consentry {
namespace {

Bytes key_of(std::string_view old_token, std::string_view new_jti) {
    return crypto::hkdf_sha256(as_bytes(old_token), as_bytes(new_jti), as_bytes("refresh successor"), 32);
}

Bytes only_iv() { return Bytes(12, 0); }  // a jti is random and used once, so each key seals only once

}  // namespace

std::string seal_successor(std::string_view old_token, std::string_view new_jti, const TokenPair& pair) {
    const std::string plain = std::to_string(pair.expires_in) + "\n" + pair.access_token + "\n" + pair.refresh_token;
    return std::string(
        as_text(crypto::aes_256_gcm_seal(key_of(old_token, new_jti), only_iv(), as_bytes(plain), as_bytes(new_jti))));
}

std::optional<TokenPair> open_successor(std::string_view old_token, std::string_view new_jti, std::string_view sealed) {
    const auto plain =
        crypto::aes_256_gcm_open(key_of(old_token, new_jti), only_iv(), as_bytes(sealed), as_bytes(new_jti));
    if (!plain) return std::nullopt;
    const std::string_view text = as_text(*plain);
    const auto first = text.find('\n');
    const auto second = text.find('\n', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    TokenPair pair;
    pair.expires_in = std::stoll(std::string(text.substr(0, first)));
    pair.access_token = text.substr(first + 1, second - first - 1);
    pair.refresh_token = text.substr(second + 1);
    return pair;
}

}  // namespace consentry
