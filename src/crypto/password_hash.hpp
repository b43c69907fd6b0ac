// Passwords at rest: Argon2id (RFC 9106) for those of ours, and the formats imported users bring along. Thread-safe,
// and slow on purpose: call it on the worker pool, never on an I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace consentry::crypto {

// The defaults are OWASP's: 19 MiB, two passes, one lane.
struct Argon2Settings {
    std::uint32_t memory_kib = 19456;  // 8 KiB to 1 GiB
    std::uint32_t passes = 2;          // at least 1; memory times passes at most 16 GiB
    std::uint32_t lanes = 1;           // libsodium computes one lane, no other number
    std::size_t salt_bytes = 16;       // libsodium makes salts of 16 bytes, no other size

    bool operator==(const Argon2Settings&) const = default;
};

// Throws std::invalid_argument, saying which setting is wrong. For the check at start; the functions below call it too.
void check_settings(const Argon2Settings& settings);

// $argon2id$v=19$m=..,t=..,p=..$salt$hash with a fresh salt. Every byte of the password counts, NUL included.
// std::runtime_error: no memory.
std::string hash_password(std::string_view password, const Argon2Settings& settings);

enum class PasswordVerdict {
    match,
    match_needs_rehash,  // right, but not Argon2id at the wanted settings: store a new hash
    mismatch,
};

// `stored` may be
//   $argon2id$v=19$ or $argon2i$v=19$ of any lanes, its costs in any order; the same behind argon2 (Django)
//   $2a$, $2b$, $2y$ bcrypt; as bcrypt sees neither what follows byte 72 nor what follows a NUL, such passwords never
//   match. The same behind bcrypt$, and, of the password's SHA-256, behind bcrypt_sha256$ (Django)
//   $scrypt$ln=..,r=..,p=..$salt$hash, and $7$ of crypt(5)
//   scrypt$n$salt$r$p$hash (Django), scrypt:n:r:p$salt$hash (Werkzeug)
//   $pbkdf2-sha256$i=..$salt$hash, $pbkdf2-sha256$..$salt$hash (passlib), and the same with sha512
//   pbkdf2_sha256$..$salt$hash (Django), pbkdf2:sha256:..$salt$hash and the same with sha512 (Werkzeug)
//   $fbscrypt$v=1,n=..,r=..,p=..,ss=..,sk=..$salt$hash (Firebase; sk is the signer key of its project, a secret)
// Anything else, also a cost beyond the bounds (1 GiB, 10 million iterations, bcrypt 16), is a mismatch after as much
// work as a hash at the wanted settings takes. std::runtime_error: no memory, which is not a wrong password.
PasswordVerdict verify_password(std::string_view password, std::string_view stored, const Argon2Settings& wanted);

// Whether verify_password could ever answer match: what an import asks before it takes a hash.
bool is_supported_password_hash(std::string_view stored);

// What hashes of one format and one cost begin with: no salt, no secret. Empty where verify_password knows no such
// format.
std::string password_kind(std::string_view stored);
// A hash of that kind, of no password: to learn what one costs.
std::string dummy_of_kind(std::string_view kind);

// A well-formed hash of no password: its digest is random. Verifying against it makes an unknown user cost as much
// time as a known one (PWD-1).
std::string dummy_password_hash(const Argon2Settings& settings);

}  // namespace consentry::crypto
