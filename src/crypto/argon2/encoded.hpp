// Argon2 hashes as text: $argon2id$v=19$m=19456,t=2,p=1$salt$tag, in base64 without padding (the PHC string format).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/argon2/argon2.hpp"

namespace consentry::crypto::argon2 {

struct Encoded {
    Parameters parameters;
    Bytes salt;
    Bytes tag;
};

std::string encode(const Encoded& hash);

// Returns nullopt for everything but one spelling of each value: decimal numbers without leading zeros, base64 whose
// unused bits are zero, no other version, no key id and no data. Only the order of m, t and p is free, because npm's
// argon2 writes t last. Parameters and sizes may be such that hash_raw() refuses them: ask problem_of() and bound them.
std::optional<Encoded> decode(std::string_view text);

}  // namespace consentry::crypto::argon2
