// The claims of an identity token whose signature has been verified (OpenID Connect Core 1.0 section 3.1.3.7, SOC-1).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "crypto/digest.hpp"
#include "crypto/jws.hpp"
#include "features/login/provider.hpp"

namespace consentry {

struct IdentityRules {
    std::vector<std::string> client_ids;  // empty: login with this provider is disabled
    std::vector<std::string> issuers;     // compared exactly
    bool nonce_required = false;
};

// A person at an identity provider. (provider, subject) identifies the person; the address is only data (SOC-2).
struct Identity {
    SocialProvider provider = SocialProvider::google;
    std::string subject;
    std::optional<std::string> email;  // canonical; absent unless valid as an account's address
    bool email_verified = false;       // only if the provider states it explicitly
    std::optional<std::string> nonce;
    bool nonce_required = false;
    crypto::Sha256 digest{};  // of the token's signed part only: a signature may have two encodings
    TimePoint issued_at;
    TimePoint expires_at;

    bool vouches_for(std::string_view address) const { return email_verified && email && *email == address; }
    // `sent` is the nonce which the client claims to have put into its request to the provider.
    bool answers(const std::optional<std::string>& sent) const { return sent ? nonce == sent : !nonce_required; }
};

// The caller has verified the signature of `jws`. The error names the offending claim, for the operator only.
std::expected<Identity, std::string_view> read_identity(SocialProvider provider, const crypto::CompactJws& jws,
                                                        const IdentityRules& rules, TimePoint now);

}  // namespace consentry
