// What computes Argon2: Consentry's own implementation (crypto/argon2) or libsodium. Both give the same hashes. For
// password_hash.cpp, and for what sets the service up. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/argon2/fill.hpp"
#include "crypto/password_formats.hpp"

namespace consentry::crypto {

enum class PasswordEngine : std::uint8_t { builtin, libsodium };

// Before the first call, the engine is `builtin`. If that gives a wrong answer to a published vector on this processor,
// libsodium remains, and the returned sentence says so.
[[nodiscard]] std::optional<std::string> choose_password_engine(
    PasswordEngine wanted, const argon2::FillImplementation& own = argon2::fill_implementations().front());
PasswordEngine password_engine();

// For threads that hash continuously: keep_password_memory() lets this thread keep its memory between hashes of at most
// this size, and with it the secrets in there, until wipe_password_memory(). See crypto/argon2/arena.hpp.
void keep_password_memory(std::uint32_t memory_kib) noexcept;
void wipe_password_memory() noexcept;

// Argon2id of one lane, as text, with this salt. Throws std::runtime_error if memory is exhausted.
std::string compute_argon2id(std::string_view password, BytesView salt, std::uint32_t memory_kib, std::uint32_t passes);
// Compares in constant time. Throws std::runtime_error if memory is exhausted, which must not count as a mismatch.
bool matches(const Argon2Hash& stored, std::string_view password);

}  // namespace consentry::crypto
