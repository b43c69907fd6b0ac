// The consent log's private key, as the setting has it.
#pragma once

#include <string>

#include "crypto/signature_keys.hpp"

namespace consentry {

// Reads base64 of PKCS#8 DER, PEM, or the base64url of an Ed25519 seed (43 characters), which is what APP_ENV=local
// keeps in keys/consent-log.key. Throws std::runtime_error that says what is wrong.
crypto::PrivateKey consent_log_key(const std::string& text);

}  // namespace consentry
