// The signing keys of both token kinds: one key signs, former keys still verify.
//
// Keys come from the settings, or are PEM files in the key folder (DATA_DIR/keys, mode 0700; files 0600). `consentry
// keys rotate` adds a key, which a running service loads within a second. A file name gives the token kind, the
// algorithm, the creation time and the kid. The newest key of the configured algorithm signs; an older one verifies
// until the last token signed with it has expired. Each key has one algorithm, so former keys may be of another one. A
// damaged or missing key never replaces valid ones: a running service keeps them, reports the fault, and reads the
// folder again until it is right.
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
    std::optional<TimePoint> made_at = {};  // nullopt: from the settings
};

// An immutable set. Readers share ownership while they use it.
struct KindKeys {
    std::shared_ptr<const SigningKey> signing;
    std::vector<std::pair<std::string, crypto::PublicKey>> verifying;  // by kid, including the signing key
    TimePoint complete_until = TimePoint::max();  // then the next former key of the folder no longer verifies

    const crypto::PublicKey* find(std::string_view kid) const;
};

// A former key, which still verifies.
struct FormerKey {
    std::string kid;  // as in the header of its tokens; empty: its thumbprint
    std::string key;  // PEM, or base64 of SPKI DER
};

// The settings of one token kind.
struct KeySettings {
    crypto::SignatureAlgorithm algorithm = crypto::SignatureAlgorithm::es256;  // of new tokens
    std::string private_key;  // PEM, or base64 of PKCS#8 DER; empty: use the key folder
    std::vector<FormerKey> public_keys;
    std::string kid;                      // of private_key; empty: its thumbprint
    std::chrono::seconds lifetime{3600};  // maximum lifetime of a token signed with it
};

class KeyRing {
public:
    // Receives why the keys of a kind cannot be read in a running service; empty: they can be read again. Called once
    // for each change of that, by any thread. Must not use the key ring.
    using OnFault = std::function<void(TokenKind kind, const std::string& fault)>;

    // Throws std::runtime_error that names the invalid setting or file.
    KeyRing(const Clock& clock, std::filesystem::path folder, KeySettings access, KeySettings refresh,
            OnFault on_fault = {});

    // Thread-safe. Reloads the folder if it changed or the last token of a key has expired, checking at most once a
    // second.
    std::shared_ptr<const KindKeys> keys(TokenKind kind);
    // Increases whenever the accepted keys change. Reloads the folder as keys() does.
    std::uint64_t generation();
    // The access keys as served at /.well-known/jwks.json (RFC 7517), public members only.
    boost::json::object jwks();

    // Writes a new key file, creating the folder if it is missing. Returns the kid. The file is dated `now`, or right
    // after the newest file if that has a later time, so that the new key always signs.
    static std::string generate(const std::filesystem::path& folder, TokenKind kind,
                                crypto::SignatureAlgorithm algorithm, TimePoint now);
    // Of the newest key in the folder; nullopt: it has none of this kind.
    static std::optional<crypto::SignatureAlgorithm> newest_algorithm(const std::filesystem::path& folder,
                                                                      TokenKind kind);

private:
    std::shared_ptr<const KindKeys> load(TokenKind kind) const;
    void look_again();
    bool load_again(TokenKind kind);
    void note(TokenKind kind, std::string fault);

    const Clock& clock_;
    const std::filesystem::path folder_;
    const std::array<KeySettings, 2> settings_;
    std::array<std::atomic<std::shared_ptr<const KindKeys>>, 2> keys_;
    std::atomic<std::uint64_t> generation_{1};
    std::mutex mutex_;
    std::atomic<std::int64_t> next_look_ms_{0};  // steady clock
    // Guarded by mutex_.
    std::filesystem::file_time_type seen_{};
    std::array<std::string, 2> faults_;  // empty: none
    const OnFault on_fault_;
};

}  // namespace consentry
