// Protects second factors at rest: TOTP secrets are encrypted, backup codes stored as keyed digests.
//
// The keys of both are derived from AUTH_TWO_FACTOR_ENCRYPTION_KEY, which may list a new secret and former ones: the
// first one encrypts, all of them decrypt (CRY-4).
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
    // Bound to the user: a record moved to another user cannot be opened (CRY-2).
    Sealed seal(UserId user, BytesView secret) const;
    // Throws std::runtime_error if the record cannot be read. Treat that as "cannot log in", never as "two-factor off".
    Bytes open(UserId user, const Bytes& iv, const Bytes& secret) const;
    // Seals what open() returned with the first key; nullopt if it is sealed with that key.
    std::optional<Sealed> seal_again(UserId user, const Bytes& iv, const Bytes& secret, BytesView opened) const;
    // The ids of the keys, in their order. A sealed secret begins with the id of its key.
    std::vector<Bytes> key_ids() const { return sealing_.ids(); }

    static std::vector<std::string> new_backup_codes();  // distinct
    crypto::Sha256 digest(UserId user, std::string_view backup_code) const;
    // The digests under every accepted key, in the order of the keys.
    std::vector<crypto::Sha256> digests(UserId user, std::string_view backup_code) const;

private:
    crypto::SealingKeys sealing_;
    std::vector<Bytes> digest_keys_;
};

}  // namespace consentry
