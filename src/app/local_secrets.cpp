#include "app/local_secrets.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.hpp"
#include "crypto/random.hpp"
#include "features/sessions/key_ring.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

// Makes the file whole or not at all: whoever finds it, after a crash or beside another program that starts, finds a
// secret in it. Of several programs that make it at once one wins; the others use what it made.
void make_secret(const fs::path& file) {
    const fs::path unfinished = file.string() + "." + to_hex(crypto::random_bytes(8)) + ".part";
    const int made = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) throw std::system_error(errno, std::generic_category(), "cannot write " + unfinished.string());
    const std::string secret = to_base64url(crypto::random_bytes(32));
    const bool written =
        write(made, secret.data(), secret.size()) == static_cast<ssize_t>(secret.size()) && fsync(made) == 0;
    close(made);
    // A second name, not a new one: link() never replaces what is there.
    const int error = !written ? EIO : link(unfinished.c_str(), file.c_str()) == 0 ? 0 : errno;
    fs::remove(unfinished);
    if (error != 0 && error != EEXIST)
        throw std::system_error(error, std::generic_category(), "cannot write " + file.string());
}

std::string read_or_make_secret(const fs::path& file) {
    if (!fs::exists(file)) make_secret(file);
    std::ifstream in(file, std::ios::binary);
    std::string secret{std::istreambuf_iterator<char>(in), {}};
    if (secret.size() < 32) throw std::runtime_error("the secret in " + file.string() + " is damaged");
    return secret;
}

void make_key(const fs::path& folder, TokenKind kind, const TokenConfig& config, const Clock& clock) {
    const auto algorithm = crypto::find_algorithm(config.algorithm).value();
    if (config.private_key.empty() && !KeyRing::has_key(folder, kind, algorithm))
        KeyRing::generate(folder, kind, algorithm, clock.now());
}

}  // namespace

Config with_local_secrets(Config config, const Clock& clock) {
    if (config.app.environment != AppEnvironment::local) return config;
    const fs::path folder = config.data.directory / "keys";
    fs::create_directories(folder);
    fs::permissions(config.data.directory, fs::perms::owner_all);
    fs::permissions(folder, fs::perms::owner_all);
    if (config.two_factor.encryption_keys.empty())
        config.two_factor.encryption_keys.push_back(read_or_make_secret(folder / "two-factor.key"));
    if (config.encryption.secrets.empty()) config.encryption.secrets.push_back(read_or_make_secret(folder / "app.key"));
    make_key(folder, TokenKind::access, config.jwt.access, clock);
    make_key(folder, TokenKind::refresh, config.jwt.refresh, clock);
    return config;
}

}  // namespace consentry
