// Base32 (RFC 4648 section 6), upper case, without padding: the form in which authenticator applications accept a
// secret.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace consentry::crypto {

std::string to_base32(BytesView bytes);

}  // namespace consentry::crypto
