#include "crypto/password_engine.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <stdexcept>

#include <fmt/format.h>
#include <sodium.h>

#include "crypto/argon2/arena.hpp"
#include "crypto/c_text.hpp"
#include "crypto/digest.hpp"

namespace consentry::crypto {
namespace {

constexpr std::size_t hash_size = 32;

// Null: libsodium. The default is not checked; every start of the service chooses.
std::atomic<argon2::Fill>& chosen() {
    static std::atomic<argon2::Fill> fill = argon2::fill_implementations().front().fill;
    return fill;
}

void start_libsodium() {
    static const int started = sodium_init();
    if (started < 0) throw std::runtime_error("cannot initialize libsodium");
}

[[noreturn]] void fail() { throw std::runtime_error("cannot compute Argon2 (out of memory?)"); }

// Returns false if the system has no memory for it; libsodium may still find some, in small pages.
bool compute(argon2::Fill fill, std::string_view password, BytesView salt, const argon2::Parameters& parameters,
             std::span<std::uint8_t> tag) {
    return fill != nullptr && argon2::hash_raw({.password = as_bytes(password), .salt = salt}, parameters, tag, fill);
}

// Argon2id of one lane with a salt of 16 bytes. Throws std::runtime_error if memory is exhausted.
void compute_with_libsodium(std::string_view password, BytesView salt, const argon2::Parameters& parameters,
                            std::span<std::uint8_t> tag) {
    start_libsodium();
    if (crypto_pwhash(tag.data(), tag.size(), address(password), password.size(), salt.data(), parameters.passes,
                      std::size_t{parameters.memory_kib} * 1024, crypto_pwhash_ALG_ARGON2ID13) != 0)
        fail();
}

}  // namespace

std::optional<std::string> choose_password_engine(PasswordEngine wanted, const argon2::FillImplementation& own) {
    const bool is_wanted = wanted == PasswordEngine::builtin;
    const bool is_right = is_wanted && argon2::gives_known_answers(own.fill);
    chosen().store(is_right ? own.fill : nullptr);
    if (!is_wanted || is_right) return std::nullopt;
    return fmt::format("the built-in Argon2 ({}) fails its known-answer test on this machine; libsodium replaces it",
                       own.name);
}

PasswordEngine password_engine() {
    return chosen().load() == nullptr ? PasswordEngine::libsodium : PasswordEngine::builtin;
}

void keep_password_memory(std::uint32_t memory_kib) noexcept { argon2::keep_arena(memory_kib); }
void wipe_password_memory() noexcept { argon2::wipe_arena(); }

std::string compute_argon2id(std::string_view password, BytesView salt, std::uint32_t memory_kib,
                             std::uint32_t passes) {
    argon2::Encoded out{.parameters = {.memory_kib = memory_kib, .passes = passes},
                        .salt = Bytes(salt.begin(), salt.end()),
                        .tag = Bytes(hash_size)};
    if (!compute(chosen().load(), password, salt, out.parameters, out.tag)) {
        if (salt.size() != crypto_pwhash_SALTBYTES) throw std::invalid_argument("libsodium: salts of 16 bytes only");
        compute_with_libsodium(password, salt, out.parameters, out.tag);
    }
    return argon2::encode(out);
}

bool matches(const Argon2Hash& stored, std::string_view password) {
    const argon2::Encoded& hash = stored.decoded;
    std::array<std::uint8_t, argon2_tag_size_max> buffer{};
    const std::span tag = std::span(buffer).first(hash.tag.size());
    if (compute(chosen().load(), password, hash.salt, hash.parameters, tag)) return equal_constant_time(tag, hash.tag);
    if (hash.parameters.type == argon2::Type::argon2id && hash.parameters.lanes == 1 &&
        hash.salt.size() == crypto_pwhash_SALTBYTES) {
        compute_with_libsodium(password, hash.salt, hash.parameters, tag);
        return equal_constant_time(tag, hash.tag);
    }
    start_libsodium();
    const auto verify = hash.parameters.type == argon2::Type::argon2id ? crypto_pwhash_argon2id_str_verify
                                                                       : crypto_pwhash_argon2i_str_verify;
    errno = 0;
    if (verify(argon2::encode(hash).c_str(), address(password), password.size()) == 0) return true;
    // libsodium reports a mismatch as EINVAL, but a lack of memory, too, which must not count as a wrong password. So
    // look whether there is memory now.
    if (errno != EINVAL || !argon2::Arena::map(hash.parameters.memory_kib)) fail();
    return false;
}

}  // namespace consentry::crypto
