// Strict parsers for the text forms of password hashes, with bounded costs: a stored hash may come from an import file
// and must not be able to exhaust the machine. For password_hash.cpp and
// password_engine.cpp only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.hpp"
#include "crypto/argon2/encoded.hpp"

namespace consentry::crypto {

inline constexpr std::uint64_t password_memory_max = std::uint64_t{1} << 30;   // bytes in use at once
inline constexpr std::uint64_t password_traffic_max = std::uint64_t{1} << 34;  // bytes written: memory times passes
inline constexpr std::uint32_t password_iterations_max = 10'000'000;

inline constexpr std::size_t argon2_tag_size_max = 64;

struct Argon2Hash {
    argon2::Encoded decoded;  // argon2id or argon2i
};
struct BcryptHash {
    std::string text;
    bool of_sha256 = false;  // hashes the hexadecimal SHA-256 of the password, so that every byte counts
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
// Firebase's own format: AES-256-CTR over the project's signer key, keyed with scrypt(password).
struct FirebaseScryptHash {
    ScryptHash key;  // its salt ends with the project's separator; its hash is empty
    Bytes signer_key;
    Bytes hash;
};
using PasswordHash = std::variant<Argon2Hash, BcryptHash, ScryptHash, CryptScryptHash, Pbkdf2Hash, FirebaseScryptHash>;

// Returns nullopt if the format is unknown, damaged or too costly.
std::optional<PasswordHash> parse_password_hash(std::string_view stored);

// See password_kind(), password_kind_beginning() and dummy_of_kind() in password_hash.hpp. The kind of most formats is
// the beginning of their hashes; other kinds add the costs that stand elsewhere ("scrypt$16384$~8$5").
std::string kind_of_hash(std::string_view stored);
std::string_view beginning_of_kind(std::string_view kind);
std::string hash_of_kind(std::string_view kind);

}  // namespace consentry::crypto
