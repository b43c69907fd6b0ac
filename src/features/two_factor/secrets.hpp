// What protects second factors at rest: TOTP secrets are sealed, backup codes kept as keyed digests.
//
// Both kinds of key are derived from AUTH_TWO_FACTOR_ENCRYPTION_KEY, which may list a new secret and former ones:
// the first one seals, all of them open (CRY-4).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/aead.hpp"
#include "crypto/digest.hpp"
#include "features/users/user.hpp"

namespace consentry {

inline constexpr std::size_t totp_secret_bytes = 20;  // 32 base32 characters
inline constexpr std::size_t backup_code_count = 8;
inline constexpr std::size_t backup_code_length = 10;  // of A-Z0-9

class TwoFactorSecrets {
public:
    explicit TwoFactorSecrets(const std::vector<std::string>& encryption_keys);

    struct Sealed {
        Bytes iv;
        Bytes secret;
    };
    static Bytes new_secret();
    // Bound to the user: a record moved to another user does not open (CRY-2).
    Sealed seal(UserId user, BytesView secret) const;
    // Throws std::runtime_error where the record cannot be read: that means "cannot log in", never "two-factor off".
    Bytes open(UserId user, const Bytes& iv, const Bytes& secret) const;

    static std::vector<std::string> new_backup_codes();  // distinct
    crypto::Sha256 digest(UserId user, std::string_view backup_code) const;
    // Under every accepted key, the first key first.
    std::vector<crypto::Sha256> digests(UserId user, std::string_view backup_code) const;

private:
    crypto::SealingKeys sealing_;
    std::vector<Bytes> digest_keys_;
};

}  // namespace consentry
