#include "app/consent_log_key.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {

crypto::PrivateKey consent_log_key(const std::string& text) {
    const auto der = text.starts_with("-----") ? std::nullopt : from_base64(text);
    auto key = der ? crypto::PrivateKey::from_pkcs8_der(*der, crypto::SignatureAlgorithm::eddsa)
                   : crypto::PrivateKey::from_pem(text, crypto::SignatureAlgorithm::eddsa);
    if (!key) throw WrongSettings("CONSENT_LOG_PRIVATE_KEY: " + key.error());
    return std::move(*key);
}

}  // namespace consentry
