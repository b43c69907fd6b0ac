#include "app/local_secrets.hpp"

#include <exception>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/new_file.hpp"
#include "base/whole_file.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/random.hpp"
#include "features/sessions/key_ring.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

// A process that finds the file, after a crash or while another process starts, always finds a complete secret. If
// several processes create it concurrently, one wins and the others use its secret.
void make_secret(const fs::path& file) {
    NewFile made(file);
    made.write(to_base64url(crypto::random_bytes(32)));
    static_cast<void>(made.take_free_name());
}

std::string read_secret(const fs::path& file) {
    auto secret = read_whole_file(file);
    if (!secret) throw std::runtime_error("cannot read the secret in " + file.string());
    if (secret->size() < 32)
        throw std::runtime_error("the secret in " + file.string() + " is damaged: it has fewer than 32 characters");
    return std::move(*secret);
}

fs::path key_folder(const Config& config) { return config.data.directory / "keys"; }

// Only the newest key will do: the time of the next one tells when keys of another algorithm signed last.
bool lacks_key(const Config& config, TokenKind kind, const TokenConfig& token) {
    return token.private_key.empty() &&
           KeyRing::newest_algorithm(key_folder(config), kind) != crypto::find_algorithm(token.algorithm);
}

// The secret is an Ed25519 seed.
std::string log_key(const std::string& secret) {
    const auto seed = from_base64url(secret);
    auto key = seed ? crypto::PrivateKey::from_ed25519_seed(*seed) : std::unexpected(std::string("no base64url"));
    if (!key) throw std::runtime_error("the secret in keys/consent-log.key is damaged: " + key.error());
    return key->pem();
}

// Fills in secrets missing from the settings. `secret_in` returns the secret stored in a file or to be stored there;
// `make_key` generates a signing key.
void fill(Config& config, const auto& secret_in, const auto& make_key) {
    const fs::path folder = key_folder(config);
    if (config.two_factor.encryption_keys.empty())
        config.two_factor.encryption_keys.push_back(secret_in(folder / "two-factor.key"));
    if (config.encryption.secrets.empty()) config.encryption.secrets.push_back(secret_in(folder / "app.key"));
    for (const auto kind : {TokenKind::access, TokenKind::refresh}) {
        TokenConfig& token = kind == TokenKind::access ? config.jwt.access : config.jwt.refresh;
        if (lacks_key(config, kind, token)) make_key(kind, token);
    }
    if (config.consent_log.enable && config.consent_log.private_key.empty())
        config.consent_log.private_key = log_key(secret_in(folder / "consent-log.key"));
}

void make_private_folder(const fs::path& folder) {
    try {
        make_folder(folder);
        // A folder of another user, such as a volume that a container was given, is theirs to protect; doctor names it.
        struct stat facts{};
        const bool is_open = ::stat(folder.c_str(), &facts) == 0 && (facts.st_mode & 07777U) != 0700U;
        if (is_open && facts.st_uid == geteuid()) fs::permissions(folder, fs::perms::owner_all);
    } catch (const std::exception&) {
        throw_as_fault_of("DATA_DIR");
    }
}

}  // namespace

void make_data_folder(const Config& config) { make_private_folder(config.data.directory); }

Config with_local_secrets(Config config, const Clock& clock) {
    if (config.app.environment != AppEnvironment::local) return config;
    const fs::path folder = key_folder(config);
    make_data_folder(config);
    make_private_folder(folder);
    fill(
        config,
        [](const fs::path& file) {
            if (!fs::exists(file)) make_secret(file);
            return read_secret(file);
        },
        [&](TokenKind kind, const TokenConfig& token) {
            KeyRing::generate(folder, kind, crypto::find_algorithm(token.algorithm).value(), clock.now());
        });
    return config;
}

Config with_passing_secrets(Config config) {
    if (config.app.environment != AppEnvironment::local) return config;
    fill(
        config,
        [](const fs::path& file) {
            std::error_code error;
            return fs::exists(file, error) ? read_secret(file) : to_base64url(crypto::random_bytes(32));
        },
        [](TokenKind, TokenConfig& token) {
            token.private_key = crypto::PrivateKey::generate(crypto::find_algorithm(token.algorithm).value()).pem();
        });
    return config;
}

std::vector<std::string> secrets_to_make(const Config& config) {
    std::vector<std::string> out;
    if (config.app.environment != AppEnvironment::local) return out;
    Config copy = config;
    fill(
        copy,
        [&](const fs::path& file) {
            if (std::error_code error; !fs::exists(file, error)) out.push_back(file.filename().string());
            return to_base64url(crypto::random_bytes(32));
        },
        [&](TokenKind kind, const TokenConfig&) {
            // One of another algorithm is not lost: the setting has changed.
            if (!KeyRing::newest_algorithm(key_folder(config), kind))
                out.push_back(fmt::format("a key for {} tokens", name_of(kind)));
        });
    return out;
}

}  // namespace consentry
