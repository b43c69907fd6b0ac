#include "crypto/password_hash.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include <crypt.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "crypto/c_text.hpp"
#include "crypto/digest.hpp"
#include "crypto/openssl_handles.hpp"
#include "crypto/password_engine.hpp"
#include "crypto/password_formats.hpp"
#include "crypto/random.hpp"

namespace consentry::crypto {
namespace {

constexpr std::size_t bcrypt_password_max = 72;
constexpr std::size_t bcrypt_hash_size = 31;
constexpr std::size_t own_hash_size = 32;
constexpr std::size_t own_salt_size = 16;

std::size_t memory_bytes(const Argon2Settings& settings) { return std::size_t{settings.memory_kib} * 1024; }

// Spends the usual time, so that timing does not distinguish an unsupported format from a wrong password.
void work_in_vain(std::string_view password, const Argon2Settings& settings) {
    compute_argon2id(password, Bytes(settings.salt_bytes), settings.memory_kib, settings.passes);
}

// crypt(3) with its own buffer; wipes the password. Fails only for lack of memory: the parsers have accepted the
// setting, and covers() the password. That must not count as a wrong password.
std::string crypt_text(std::string password, const std::string& setting) {
    const auto data = std::make_unique<crypt_data>();
    const char* result = crypt_r(password.c_str(), setting.c_str(), data.get());
    wipe(password);
    std::string out = result == nullptr || result[0] == '*' ? "" : result;
    OPENSSL_cleanse(data.get(), sizeof(crypt_data));
    if (out.empty()) throw std::runtime_error("cannot compute crypt(3) (out of memory?)");
    return out;
}

bool crypt_matches(std::string password, const std::string& stored, std::size_t compared) {
    const std::string computed = crypt_text(std::move(password), stored);
    if (computed.size() != stored.size()) return false;
    const std::size_t from = stored.size() - compared;
    return equal_constant_time(as_bytes(computed).subspan(from), as_bytes(stored).subspan(from));
}

bool matches(const BcryptHash& parsed, std::string_view password) {
    // Compares only the hash: some libraries set unused bits of the salt's last character, which crypt clears.
    return crypt_matches(parsed.of_sha256 ? to_hex(sha256(password)) : std::string(password), parsed.text,
                         bcrypt_hash_size);
}

bool matches(const CryptScryptHash& parsed, std::string_view password) {
    return crypt_matches(std::string(password), parsed.text, parsed.text.size());
}

Bytes scrypt(const ScryptHash& parsed, std::string_view password, std::size_t size) {
    Bytes computed(size);
    const std::uint64_t memory_max = password_memory_max + (std::uint64_t{1} << 22);  // plus its working buffers
    require(EVP_PBE_scrypt(address(password), password.size(), parsed.salt.data(), parsed.salt.size(),
                           std::uint64_t{1} << parsed.cost_log2, parsed.block_size, parsed.parallelism, memory_max,
                           computed.data(), computed.size()) == 1,
            "scrypt");
    return computed;
}

bool matches(const ScryptHash& parsed, std::string_view password) {
    return equal_constant_time(scrypt(parsed, password, parsed.hash.size()), parsed.hash);
}

bool matches(const FirebaseScryptHash& parsed, std::string_view password) {
    constexpr std::size_t key_size = 32;
    constexpr std::array<std::uint8_t, 16> first_counter{};
    Bytes key = scrypt(parsed.key, password, key_size);
    Bytes computed(parsed.signer_key.size());
    int size = 0;
    const CipherContext context(EVP_CIPHER_CTX_new());
    require(context != nullptr &&
                EVP_EncryptInit_ex(context.get(), EVP_aes_256_ctr(), nullptr, key.data(), first_counter.data()) == 1 &&
                EVP_EncryptUpdate(context.get(), computed.data(), &size, parsed.signer_key.data(),
                                  static_cast<int>(parsed.signer_key.size())) == 1,
            "AES-256-CTR");
    wipe(key);
    return equal_constant_time(computed, parsed.hash);
}

bool matches(const Pbkdf2Hash& parsed, std::string_view password) {
    Bytes computed(parsed.hash.size());
    require(PKCS5_PBKDF2_HMAC(address(password), static_cast<int>(password.size()), parsed.salt.data(),
                              static_cast<int>(parsed.salt.size()), static_cast<int>(parsed.iterations),
                              parsed.sha512 ? EVP_sha512() : EVP_sha256(), static_cast<int>(computed.size()),
                              computed.data()) == 1,
            "PBKDF2");
    return equal_constant_time(computed, parsed.hash);
}

// Returns whether the format processes the whole password. If not, two passwords could share one hash (PWD-2).
bool covers(const PasswordHash& parsed, std::string_view password) {
    constexpr std::size_t password_size_max = std::size_t{1} << 20;  // the libraries' lengths are int
    if (password.size() > password_size_max) return false;
    const bool has_nul = password.contains('\0');
    if (const auto* bcrypt = std::get_if<BcryptHash>(&parsed))
        return bcrypt->of_sha256 || (!has_nul && password.size() <= bcrypt_password_max);
    if (std::holds_alternative<CryptScryptHash>(parsed)) return !has_nul && password.size() < CRYPT_MAX_PASSPHRASE_SIZE;
    return true;
}

bool as_wanted(const PasswordHash& parsed, const Argon2Settings& wanted) {
    const auto* argon2 = std::get_if<Argon2Hash>(&parsed);
    if (argon2 == nullptr) return false;
    const auto& [costs, salt, tag] = argon2->decoded;
    return costs.type == argon2::Type::argon2id &&
           Argon2Settings{costs.memory_kib, costs.passes, costs.lanes, salt.size()} == wanted;
}

}  // namespace

void check_settings(const Argon2Settings& settings) {
    if (settings.lanes != 1) throw std::invalid_argument("Argon2 parallelism: only 1 is supported");
    if (settings.salt_bytes != own_salt_size)
        throw std::invalid_argument("Argon2 salt length: only 16 bytes are supported");
    if (settings.memory_kib < 8 || memory_bytes(settings) > password_memory_max)
        throw std::invalid_argument("Argon2 memory: 8 KiB to 1 GiB, given in KiB");
    if (settings.passes < 1 || settings.passes > password_traffic_max / memory_bytes(settings))
        throw std::invalid_argument("Argon2 passes: at least 1, and memory times passes at most 16 GiB");
}

std::string hash_password(std::string_view password, const Argon2Settings& settings) {
    check_settings(settings);
    return compute_argon2id(password, random_bytes(settings.salt_bytes), settings.memory_kib, settings.passes);
}

PasswordVerdict verify_password(std::string_view password, std::string_view stored, const Argon2Settings& wanted) {
    check_settings(wanted);
    const auto parsed = parse_password_hash(stored);
    if (!parsed || !covers(*parsed, password)) {
        work_in_vain(password, wanted);
        return PasswordVerdict::mismatch;
    }
    const bool right = std::visit([&](const auto& hash) { return matches(hash, password); }, *parsed);
    if (!right) return PasswordVerdict::mismatch;
    return as_wanted(*parsed, wanted) ? PasswordVerdict::match : PasswordVerdict::match_needs_rehash;
}

bool is_supported_password_hash(std::string_view stored) { return parse_password_hash(stored).has_value(); }

std::string password_kind(std::string_view stored) { return kind_of_hash(stored); }

std::string password_kind_beginning(std::string_view kind) { return std::string(beginning_of_kind(kind)); }

std::string dummy_of_kind(std::string_view kind) { return hash_of_kind(kind); }

std::string dummy_password_hash(const Argon2Settings& settings) {
    check_settings(settings);
    const auto random_base64 = [](std::size_t size) {
        std::string out = to_base64(random_bytes(size));
        out.resize(out.find_last_not_of('=') + 1);
        return out;
    };
    return fmt::format("$argon2id$v=19$m={},t={},p={}${}${}", settings.memory_kib, settings.passes, settings.lanes,
                       random_base64(settings.salt_bytes), random_base64(own_hash_size));
}

}  // namespace consentry::crypto
