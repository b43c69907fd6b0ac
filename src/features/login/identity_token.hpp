// What an identity token says, once it is believed (OpenID Connect Core 1.0 section 3.1.3.7, SOC-1).
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
    std::vector<std::string> client_ids;  // none: nobody can log in with this provider
    std::vector<std::string> issuers;     // exact
    bool nonce_required = false;
};

// Somebody at an identity provider. (provider, subject) is who it is; the address is no more than data (SOC-2).
struct Identity {
    SocialProvider provider = SocialProvider::google;
    std::string subject;
    std::optional<std::string> email;  // canonical; absent where it is no address of the form that accounts have
    bool email_verified = false;       // the provider says so in as many words
    std::optional<std::string> nonce;
    bool nonce_required = false;
    crypto::Sha256 digest{};  // of the token's signed part: a signature may have a second spelling
    TimePoint issued_at;
    TimePoint expires_at;

    bool vouches_for(std::string_view address) const { return email_verified && email && *email == address; }
    // `sent`: what the client says it put into its request to the provider.
    bool answers(const std::optional<std::string>& sent) const { return sent ? nonce == sent : !nonce_required; }
};

// `jws`: its signature holds. The error is for the operator: the claim that is wrong.
std::expected<Identity, std::string_view> read_identity(SocialProvider provider, const crypto::CompactJws& jws,
                                                        const IdentityRules& rules, TimePoint now);

}  // namespace consentry
