// Password hashing: Argon2id (RFC 9106) for the service's own hashes, plus the formats of imported users. Thread-safe
// and deliberately slow: call it on the worker pool, never on an I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace consentry::crypto {

// The defaults follow OWASP: 19 MiB, two passes, one lane.
struct Argon2Settings {
    std::uint32_t memory_kib = 19456;  // 8 KiB to 1 GiB
    std::uint32_t passes = 2;          // at least 1; memory times passes at most 16 GiB
    std::uint32_t lanes = 1;           // a hash runs on one thread, where more lanes gain nothing
    std::size_t salt_bytes = 16;       // as RFC 9106 section 4 recommends; libsodium supports no others

    bool operator==(const Argon2Settings&) const = default;
};

// Throws std::invalid_argument naming the setting that is wrong. Used by the check at start; the functions below call
// it as well.
void check_settings(const Argon2Settings& settings);

// Returns $argon2id$v=19$m=..,t=..,p=..$salt$hash with a fresh salt. Every byte of the password counts, NUL included.
// Throws std::runtime_error if memory is exhausted.
std::string hash_password(std::string_view password, const Argon2Settings& settings);

enum class PasswordVerdict {
    match,
    match_needs_rehash,  // correct, but not Argon2id at the wanted settings: store a new hash
    mismatch,
};

// Supported formats of `stored`:
//   $argon2id$v=19$ or $argon2i$v=19$ with any number of lanes, costs in any order; the same after argon2 (Django)
//   $2a$, $2b$, $2y$ bcrypt. bcrypt ignores everything after byte 72 or a NUL, so such passwords never match.
//   The same after bcrypt$, and, over the password's SHA-256, after bcrypt_sha256$ (Django)
//   $scrypt$ln=..,r=..,p=..$salt$hash, and $7$ of crypt(5)
//   scrypt$n$salt$r$p$hash (Django), scrypt:n:r:p$salt$hash (Werkzeug)
//   $pbkdf2-sha256$i=..$salt$hash, $pbkdf2-sha256$..$salt$hash (passlib), and the same with sha512
//   pbkdf2_sha256$..$salt$hash (Django), pbkdf2:sha256:..$salt$hash and the same with sha512 (Werkzeug)
//   $fbscrypt$v=1,n=..,r=..,p=..,ss=..,sk=..$salt$hash (Firebase; sk is the signer key of its project, a secret)
// Anything else, including a cost beyond the bounds (1 GiB, 10 million iterations, bcrypt 16), is a mismatch and takes
// as much work as a hash at the wanted settings. Throws std::runtime_error if memory is exhausted, which must not count
// as a wrong password.
PasswordVerdict verify_password(std::string_view password, std::string_view stored, const Argon2Settings& wanted);

// Returns whether verify_password could ever match this hash; an import checks it before it accepts a hash.
bool is_supported_password_hash(std::string_view stored);

// Returns the format and cost of the hash: hashes of one kind cost the same. Contains neither salt nor secret. Empty if
// verify_password does not support the format.
std::string password_kind(std::string_view stored);
// Returns what all hashes of the kind begin with. Other kinds of the same format may begin so, too.
std::string password_kind_beginning(std::string_view kind);
// Returns a hash of that kind that matches no password, to measure the cost of the kind.
std::string dummy_of_kind(std::string_view kind);

// Returns a well-formed hash with a random digest, which matches no password. Verifying against it makes an unknown
// user take as long as a known one (PWD-1).
std::string dummy_password_hash(const Argon2Settings& settings);

}  // namespace consentry::crypto
