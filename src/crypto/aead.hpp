// Authenticated encryption for data that has to be decrypted again, such as TOTP secrets: AES-256-GCM (NIST SP 800-38D)
// with a 96-bit IV and a 128-bit tag. Thread-safe; throws std::runtime_error if the library fails.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace consentry::crypto {

// The primitive. Returns ciphertext || tag; throws std::invalid_argument unless the key has 32 bytes and the IV 12. An
// IV must never be reused with the same key: SealingKeys ensures this.
Bytes aes_256_gcm_seal(BytesView key, BytesView iv, BytesView plain, BytesView associated);
// Returns nullopt if any input differs from what was sealed, or has an unexpected size.
std::optional<Bytes> aes_256_gcm_open(BytesView key, BytesView iv, BytesView ciphertext_and_tag, BytesView associated);

// The keys of one purpose, in the order of the setting: the first key seals, all keys open. A new secret can thus be
// put in front while records sealed under the old one are still readable (CRY-4). Immutable, copyable.
class SealingKeys {
public:
    // Derives a key from each secret with HKDF, with the purpose as label (CRY-3), so one secret may serve several
    // purposes. Throws std::invalid_argument if there is no secret or an empty one. Does not keep the secrets.
    SealingKeys(const std::vector<std::string>& secrets, std::string_view purpose);
    ~SealingKeys();
    SealingKeys(const SealingKeys&) = default;
    SealingKeys(SealingKeys&&) = default;
    SealingKeys& operator=(const SealingKeys&) = default;
    SealingKeys& operator=(SealingKeys&&) = default;

    struct Sealed {
        Bytes iv;     // 12 bytes, fresh for every seal
        Bytes bytes;  // key id (4) || ciphertext || tag (16)
    };

    // `associated` identifies the owner (the user id): a record moved to another owner does not open. Purpose and key
    // id are authenticated as well (CRY-2).
    Sealed seal(BytesView plain, BytesView associated) const;
    // Returns nullopt if the record is damaged, belongs to another owner, or was sealed under a key that is not in the
    // list.
    std::optional<Bytes> open(const Sealed& sealed, BytesView associated) const;

    // The same in one piece, IV || bytes, for what is kept outside the database: cache entries, cookies and cursors.
    Bytes seal_in_one(BytesView plain, BytesView associated) const;
    std::optional<Bytes> open_in_one(BytesView sealed, BytesView associated) const;

    // Returns false if the record should be sealed again, because its key is being phased out or unknown.
    bool sealed_with_first(const Sealed& sealed) const;

    // The ids of the keys, in their order.
    std::vector<Bytes> ids() const;

private:
    using KeyId = std::array<std::uint8_t, 4>;
    struct Key {
        KeyId id;  // first bytes of the derived key's digest: identifies a key without revealing anything about it
        Bytes bytes;
    };
    Bytes bind(const KeyId& id, BytesView associated) const;
    std::optional<Bytes> open(BytesView iv, BytesView bytes, BytesView associated) const;

    std::vector<Key> keys_;
    std::string purpose_;
};

}  // namespace consentry::crypto
