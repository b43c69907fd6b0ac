#include "features/two_factor/secrets.hpp"

#include <algorithm>
#include <stdexcept>

#include "crypto/random.hpp"

namespace consentry {
namespace {

BytesView associated(const UserId& user) { return user.uuid().bytes(); }

}  // namespace

TwoFactorSecrets::TwoFactorSecrets(const std::vector<std::string>& encryption_keys)
    : sealing_(encryption_keys, "consentry two-factor secret") {
    for (const std::string& key : encryption_keys)
        digest_keys_.push_back(crypto::hkdf_sha256(as_bytes(key), "consentry backup codes", 32));
}

Bytes TwoFactorSecrets::new_secret() { return crypto::random_bytes(totp_secret_bytes); }

TwoFactorSecrets::Sealed TwoFactorSecrets::seal(UserId user, BytesView secret) const {
    auto sealed = sealing_.seal(secret, associated(user));
    return {std::move(sealed.iv), std::move(sealed.bytes)};
}

Bytes TwoFactorSecrets::open(UserId user, const Bytes& iv, const Bytes& secret) const {
    auto opened = sealing_.open({iv, secret}, associated(user));
    if (!opened) throw std::runtime_error("two-factor record of user " + user.text() + " cannot be opened");
    return std::move(*opened);
}

std::optional<TwoFactorSecrets::Sealed> TwoFactorSecrets::seal_again(UserId user, const Bytes& iv, const Bytes& secret,
                                                                     BytesView opened) const {
    if (sealing_.sealed_with_first({iv, secret})) return std::nullopt;
    return seal(user, opened);
}

std::vector<std::string> TwoFactorSecrets::new_backup_codes() {
    std::vector<std::string> codes;
    while (codes.size() < backup_code_count) {
        auto code = crypto::random_text(backup_code_length, crypto::upper_alphanumerics);
        if (std::ranges::find(codes, code) == codes.end()) codes.push_back(std::move(code));
    }
    return codes;
}

std::vector<crypto::Sha256> TwoFactorSecrets::digests(UserId user, std::string_view backup_code) const {
    Bytes message(user.uuid().bytes().begin(), user.uuid().bytes().end());
    message.insert(message.end(), backup_code.begin(), backup_code.end());
    std::vector<crypto::Sha256> out;
    out.reserve(digest_keys_.size());
    for (const Bytes& key : digest_keys_) out.push_back(crypto::hmac_sha256(key, message));
    return out;
}

crypto::Sha256 TwoFactorSecrets::digest(UserId user, std::string_view backup_code) const {
    return digests(user, backup_code).front();
}

}  // namespace consentry
