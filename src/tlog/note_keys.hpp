// The keys of signed notes: c2sp.org/signed-note, and c2sp.org/tlog-cosignature for witnesses. Keys are values: copies
// share one key, and all member functions are thread-safe. Errors are sentences that say what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/signature_keys.hpp"

namespace consentry::tlog {

// The signature type identifier bytes that this program signs with and verifies. Signatures of other types are those of
// unknown keys.
enum class KeyType : std::uint8_t {
    ed25519 = 0x01,
    cosignature = 0x04,  // Ed25519 with the time of signing: cosignature/v1
};

// Behind the name in a signature line: which key of that name, and what it made.
struct NoteSignature {
    std::string name;
    std::uint32_t key_id = 0;
    Bytes signature;
    bool operator==(const NoteSignature&) const = default;
};

// Non-empty, valid UTF-8, without spaces of any kind (Unicode's White_Space), other control characters and '+'.
bool is_key_name(std::string_view name);
// tlog-cosignature has one byte for the length of a name.
inline constexpr std::size_t key_name_bytes_max = 255;

// Valid UTF-8 that ends in a newline, without other ASCII control characters.
bool is_note_text(std::string_view text);

class VerifierKey {
public:
    // `point` is the Ed25519 public key, 32 bytes.
    static std::expected<VerifierKey, std::string> from_ed25519(std::string name, KeyType type, BytesView point);
    // A vkey, <name>+<key ID in lowercase hex>+base64(type || public key). Refuses types other than the above, and a
    // key ID that does not belong to the key: one of the two contains a typo.
    static std::expected<VerifierKey, std::string> parse(std::string_view vkey);

    const std::string& name() const { return name_; }
    KeyType type() const { return type_; }
    std::uint32_t id() const { return id_; }
    Bytes point() const { return key_.ed25519(); }
    std::string text() const;  // the vkey
    bool made(const NoteSignature& signature) const { return signature.key_id == id_ && signature.name == name_; }

    // `signature` as in a signature line, without the key ID.
    bool verify(std::string_view note_text, BytesView signature) const;

private:
    VerifierKey(std::string name, KeyType type, crypto::PublicKey key);
    std::string name_;
    KeyType type_;
    crypto::PublicKey key_;
    std::uint32_t id_;
};

// When a signature by a key of type `cosignature` was made; nullopt if it is too short or its time is above 2^63 - 1.
// Only as true as the signature.
std::optional<std::chrono::sys_seconds> cosignature_time(BytesView signature);

class NoteSigner {
public:
    // The error names a name that is_key_name() does not accept or that is too long, or a seed that has not 32 bytes.
    static std::expected<NoteSigner, std::string> from_seed(std::string name, KeyType type, BytesView seed);
    static std::expected<NoteSigner, std::string> generate(std::string name, KeyType type);
    // PRIVATE+KEY+<name>+<key ID>+base64(type || seed), the form of golang.org/x/mod/sumdb/note.
    static std::expected<NoteSigner, std::string> parse(std::string_view text);

    std::string text() const;  // secret: the caller must wipe it
    const VerifierKey& verifier() const { return verifier_; }

    // Both throw std::invalid_argument unless is_note_text(), and std::logic_error for a key of the other type. The
    // time of a cosignature is that of signing, from 1970 on.
    NoteSignature sign(std::string_view note_text) const;
    NoteSignature cosign(std::string_view note_text, std::chrono::sys_seconds time) const;

private:
    NoteSigner(crypto::PrivateKey key, VerifierKey verifier) : key_(std::move(key)), verifier_(std::move(verifier)) {}
    NoteSignature signature(Bytes bytes) const;
    void require(KeyType type, std::string_view note_text) const;

    crypto::PrivateKey key_;
    VerifierKey verifier_;
};

}  // namespace consentry::tlog
