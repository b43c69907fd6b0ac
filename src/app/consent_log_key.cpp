#include "app/consent_log_key.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {

namespace {

constexpr std::size_t seed_bytes = 32;

}  // namespace

crypto::PrivateKey consent_log_key(const std::string& text) {
    if (const auto seed = from_base64url(trim(text)); seed && seed->size() == seed_bytes)
        return crypto::PrivateKey::from_ed25519_seed(*seed).value();
    const auto der = text.starts_with("-----") ? std::nullopt : from_base64(text);
    auto key = der ? crypto::PrivateKey::from_pkcs8_der(*der, crypto::SignatureAlgorithm::eddsa)
                   : crypto::PrivateKey::from_pem(text, crypto::SignatureAlgorithm::eddsa);
    if (!key) throw WrongSettings("CONSENT_LOG_PRIVATE_KEY: " + key.error());
    return std::move(*key);
}

}  // namespace consentry
