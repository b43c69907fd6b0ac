// The signing keys of both token kinds: one that signs, former ones that still verify.
//
// Keys come from the settings, or lie as PEM files in the key folder (DATA_DIR/keys, 0700; files 0600), where
// `consentry keys rotate` adds one: a running service sees it within a second. A file's name tells the kind, when
// the key was made, and its kid; the newest signs, an older one verifies until the last token signed with it has
// expired. A damaged key never replaces good ones.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "crypto/jws.hpp"

namespace consentry {

enum class TokenKind { access, refresh };
constexpr std::string_view name_of(TokenKind kind) { return kind == TokenKind::access ? "access" : "refresh"; }

struct SigningKey {
    std::string kid;
    crypto::PrivateKey key;
    std::optional<TimePoint> made_at = {};  // nullopt: it came from the settings
};

// An immutable set; readers hold it while they work.
struct KindKeys {
    std::shared_ptr<const SigningKey> signing;
    std::vector<std::pair<std::string, crypto::PublicKey>> verifying;  // by kid, the signing one included

    const crypto::PublicKey* find(std::string_view kid) const;
};

// A former key that still verifies.
struct FormerKey {
    std::string kid;  // as its tokens name it; empty: its thumbprint
    std::string key;  // PEM, or base64 of SPKI DER
};

// As configured for one kind.
struct KeySettings {
    crypto::SignatureAlgorithm algorithm = crypto::SignatureAlgorithm::es256;
    std::string private_key;  // PEM, or base64 of PKCS#8 DER; empty: the key folder
    std::vector<FormerKey> public_keys;
    std::string kid;                      // of private_key; empty: its thumbprint
    std::chrono::seconds lifetime{3600};  // how long a token signed with it can live
};

class KeyRing {
public:
    // Throws std::runtime_error naming the setting or file that is unfit.
    KeyRing(const Clock& clock, std::filesystem::path folder, KeySettings access, KeySettings refresh);

    // Thread-safe. Looks at the folder again when it changed, at most once a second.
    std::shared_ptr<const KindKeys> keys(TokenKind kind);
    // Grows whenever the accepted keys change; looks at the folder as keys() does.
    std::uint64_t generation();
    // Of the access keys: what /.well-known/jwks.json answers (RFC 7517), public members only.
    boost::json::object jwks();

    // Makes a key file; the folder is made where it is missing. Returns the kid.
    static std::string generate(const std::filesystem::path& folder, TokenKind kind,
                                crypto::SignatureAlgorithm algorithm, TimePoint now);
    static bool has_key(const std::filesystem::path& folder, TokenKind kind, crypto::SignatureAlgorithm algorithm);

private:
    std::shared_ptr<const KindKeys> load(TokenKind kind) const;
    void look_again();

    const Clock& clock_;
    const std::filesystem::path folder_;
    const std::array<KeySettings, 2> settings_;
    std::array<std::atomic<std::shared_ptr<const KindKeys>>, 2> keys_;
    std::atomic<std::uint64_t> generation_{1};
    std::mutex mutex_;
    std::atomic<std::int64_t> next_look_ms_{0};  // steady time
    std::filesystem::file_time_type seen_{};
};

}  // namespace consentry
