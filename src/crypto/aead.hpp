// Encryption of what has to be read again, such as TOTP secrets: AES-256-GCM (NIST SP 800-38D) with a 96-bit IV and
// a 128-bit tag. Thread-safe; a failing library throws std::runtime_error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace consentry::crypto {

// The primitive. Returns ciphertext || tag; throws std::invalid_argument unless the key has 32 and the IV 12 bytes.
// An IV must never meet the same key twice: SealingKeys sees to that.
Bytes aes_256_gcm_seal(BytesView key, BytesView iv, BytesView plain, BytesView associated);
// nullopt: anything is not as it was sealed, or a size is not one of the above.
std::optional<Bytes> aes_256_gcm_open(BytesView key, BytesView iv, BytesView ciphertext_and_tag, BytesView associated);

// The keys of one purpose, in the order of the setting: the first seals, all open, so that a new secret can be put in
// front while records under the old one are still being read (CRY-4). Immutable, copyable.
class SealingKeys {
public:
    // Derives a key from each secret with HKDF and the purpose as label (CRY-3): one secret may serve several purposes.
    // Throws std::invalid_argument when there is no secret, or an empty one. Never owns the secrets afterwards.
    SealingKeys(const std::vector<std::string>& secrets, std::string_view purpose);
    ~SealingKeys();
    SealingKeys(const SealingKeys&) = default;
    SealingKeys(SealingKeys&&) = default;
    SealingKeys& operator=(const SealingKeys&) = default;
    SealingKeys& operator=(SealingKeys&&) = default;

    struct Sealed {
        Bytes iv;     // 12 bytes, new at every seal
        Bytes bytes;  // key id (4) || ciphertext || tag (16)
    };

    // `associated` names the owner (the user id): a record moved to another owner does not open. Purpose and key id are
    // bound as well (CRY-2).
    Sealed seal(BytesView plain, BytesView associated) const;
    // nullopt: damaged, another owner's, or under a key that is not in the list.
    std::optional<Bytes> open(const Sealed& sealed, BytesView associated) const;
    // False for what should be sealed anew because its key is on its way out (or unknown).
    bool sealed_with_first(const Sealed& sealed) const;

private:
    using KeyId = std::array<std::uint8_t, 4>;
    struct Key {
        KeyId id;  // the first bytes of the derived key's digest: tells keys apart, tells nothing about them
        Bytes bytes;
    };
    Bytes bind(const KeyId& id, BytesView associated) const;

    std::vector<Key> keys_;
    std::string purpose_;
};

}  // namespace consentry::crypto
