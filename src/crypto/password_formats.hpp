// The text forms of password hashes, read strictly and with their costs bounded: a stored hash may come from an import
// file, and must not be able to occupy the machine. For password_hash.cpp only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.hpp"

namespace consentry::crypto {

inline constexpr std::uint64_t password_memory_max = std::uint64_t{1} << 30;   // bytes in use at a time
inline constexpr std::uint64_t password_traffic_max = std::uint64_t{1} << 34;  // bytes written: memory times passes
inline constexpr std::uint32_t password_iterations_max = 10'000'000;

struct Argon2Hash {
    std::string text;     // in the one order of parameters that libsodium reads
    bool hybrid = false;  // argon2id rather than argon2i
    std::uint32_t memory_kib = 0;
    std::uint32_t passes = 0;
    std::uint32_t lanes = 0;
    std::size_t salt_bytes = 0;
};
struct BcryptHash {
    std::string text;
    bool of_sha256 = false;  // of the password's SHA-256 in hexadecimal digits, which makes every byte count
};
struct ScryptHash {
    std::uint32_t cost_log2 = 0;
    std::uint32_t block_size = 0;
    std::uint32_t parallelism = 0;
    Bytes salt;
    Bytes hash;
};
struct CryptScryptHash {
    std::string text;
};
struct Pbkdf2Hash {
    bool sha512 = false;
    std::uint32_t iterations = 0;
    Bytes salt;
    Bytes hash;
};
// Firebase's own: AES-256-CTR over the project's signer key, with what scrypt makes of the password as its key.
struct FirebaseScryptHash {
    ScryptHash key;  // its salt with the project's separator behind it; no hash
    Bytes signer_key;
    Bytes hash;
};
using PasswordHash = std::variant<Argon2Hash, BcryptHash, ScryptHash, CryptScryptHash, Pbkdf2Hash, FirebaseScryptHash>;

// nullopt: unknown, damaged, or too costly.
std::optional<PasswordHash> parse_password_hash(std::string_view stored);

// How many of its bytes, at the beginning, a hash that parses shares with all others that cost the same; and what, in
// their place, makes such a beginning a hash that parses. Zero and empty: of no known format.
std::size_t password_kind_size(std::string_view stored);
std::string_view password_kind_rest(std::string_view kind);

}  // namespace consentry::crypto
