// Maps a person at an identity provider to the account they may enter, and collects the statements this requires.
//
// The subject decides. An address leads to an account only if the provider states that it has verified the address and
// the account is not linked to another subject of this provider, and this one was not unlinked (SOC-2, SOC-3). An
// account with an unproven address may have been created by an attacker waiting for the owner. The person who proves
// the address therefore takes the account over, and everything granted before is revoked: password, sessions, links,
// other identities and the second factor.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/feature_flags/feature_flags.hpp"
#include "features/login/social_repository.hpp"
#include "features/mail/mails.hpp"
#include "features/sessions/repository.hpp"
#include "features/users/consent.hpp"
#include "features/users/repository.hpp"

namespace consentry {

// What the client sends along with the token.
struct SocialRequest {
    std::optional<std::string> nonce;
    // Used if an account is created or taken over.
    std::optional<std::string> name;
    std::vector<PolicyType> accepted;
    Language language = Language::en;
};

struct SocialEntry {
    User user;  // as it is after `writes` has committed
    IdentityUse use;
    storage::Transaction writes;  // creates the account or takes it over; may be empty
    bool is_new = false;
    bool is_taken_over = false;
    bool is_from_stranger = false;  // is_taken_over, and a person had signed up with the address
};

// Why an identity leads to no account.
struct SocialRefusal {
    Error error;
    // Only with the provider's `invalid`, for the operator, because the caller must not learn it: the claim or the
    // rule.
    std::string_view reason = {};
    std::optional<UserId> account = {};  // the one that refuses the identity
};

class SocialAccounts {
public:
    // The references must outlive this object.
    SocialAccounts(storage::Database& database, const Clock& clock, UserRepository& users, FeatureFlags& flags,
                   Mails& mails, Consents& consents, Audit audit, std::string username_prefix)
        : database_(database),
          repository_(database),
          clock_(clock),
          users_(users),
          flags_(flags),
          mails_(mails),
          consents_(consents),
          audit_(audit),
          username_prefix_(std::move(username_prefix)) {}

    // Errors: the provider's `invalid`, signUpForbidden. Does not check whether the account may log in, and writes
    // nothing. If two requests create or take over the same account at once, one transaction fails; calling this again
    // then finds the account that the other one left.
    awaitable<std::expected<SocialEntry, SocialRefusal>> find(const Identity& identity, const SocialRequest& request,
                                                              const Origin& origin, const Cause& cause);
    // Must follow the statements that create the account.
    void add_use(storage::Transaction& transaction, UserId user, const IdentityUse& use, const Cause& cause,
                 TimePoint now);
    awaitable<std::vector<LinkedIdentity>> list(UserId user) { return repository_.list(user); }
    // Unlinks the account's identity at the provider for good: this one never joins the account again, only another one
    // does. Ends all grants but the identity at the other provider. Returns false if none was linked.
    awaitable<Result<bool>> unlink(Actor by, UserId user, SocialProvider provider, Cause cause);
    // Report the security events; call these after the commit.
    void tell_of_use(UserId user, const IdentityUse& use, const Cause& cause) const;
    void tell_of_entry(const SocialEntry& entry, const Cause& cause) const;

    awaitable<bool> is_spent(const Identity& identity) { return repository_.is_spent(identity); }
    awaitable<void> forget_old() { return repository_.erase_spent(clock_.now() - clock_error_max); }

private:
    awaitable<SocialEntry> take_over(SocialEntry entry, const SocialRequest& request, const Origin& origin,
                                     const Cause& cause);
    awaitable<std::expected<SocialEntry, SocialRefusal>> sign_up(SocialEntry entry, const SocialRequest& request,
                                                                 const Origin& origin, const Cause& cause);
    awaitable<SocialEntry> with_acceptances(SocialEntry entry, const SocialRequest& request, const Origin& origin,
                                            TimePoint now);

    storage::Database& database_;
    SocialRepository repository_;
    const Clock& clock_;
    UserRepository& users_;
    FeatureFlags& flags_;
    Mails& mails_;
    Consents& consents_;
    const Audit audit_;
    const std::string username_prefix_;
};

}  // namespace consentry
