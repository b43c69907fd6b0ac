// Which account somebody at an identity provider may enter, and what is to be written down for it.
//
// The subject decides. An address leads to an account only where the provider says that it is verified, and where the
// account is nobody else at this provider (SOC-2, SOC-3). An account whose address nobody ever proved may have been
// made by somebody who is waiting for its owner: whoever proves it takes the account over, and nothing that was granted
// before stays good: password, sessions, links, other identities, second factor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "features/feature_flags/feature_flags.hpp"
#include "features/login/social_repository.hpp"
#include "features/mail/mails.hpp"
#include "features/sessions/repository.hpp"
#include "features/users/consent.hpp"
#include "features/users/repository.hpp"

namespace consentry {

// What the client sends beside the token.
struct SocialRequest {
    std::optional<std::string> nonce;
    // For an account that is made or taken over.
    std::optional<std::string> name;
    std::vector<PolicyType> accepted;
    Language language = Language::en;
};

struct SocialEntry {
    User user;  // as it is once `writes` took effect
    IdentityUse use;
    storage::Transaction writes;  // makes the account, or takes it over
    bool is_new = false;
    bool is_taken_over = false;
};

class SocialAccounts {
public:
    // All outlive this.
    SocialAccounts(storage::Database& database, const Clock& clock, UserRepository& users, FeatureFlags& flags,
                   Mails& mails, Consents& consents, Audit audit, std::string username_prefix)
        : repository_(database),
          clock_(clock),
          users_(users),
          flags_(flags),
          mails_(mails),
          consents_(consents),
          audit_(audit),
          username_prefix_(std::move(username_prefix)) {}

    // Errors: the provider's invalid, signUpForbidden. Whether the account may act is not asked here. Nothing is
    // written yet; of two that go for the same at once, one transaction fails, and looking again finds what the other
    // one made.
    awaitable<Result<SocialEntry>> find(const Identity& identity, const SocialRequest& request, const Origin& origin,
                                        const Cause& cause);
    // After the statements that make the account.
    void add_use(storage::Transaction& transaction, UserId user, const IdentityUse& use, const Cause& cause,
                 TimePoint now);
    // Once it is so: for the security events.
    void tell_of_use(UserId user, const IdentityUse& use, const Cause& cause) const;
    void tell_of_entry(const SocialEntry& entry, const Cause& cause) const;

    awaitable<bool> is_spent(const Identity& identity) { return repository_.is_spent(identity); }
    awaitable<void> forget_old() { return repository_.erase_spent(clock_.now()); }

private:
    awaitable<Result<SocialEntry>> take_over(SocialEntry entry, const SocialRequest& request, const Origin& origin,
                                             const Cause& cause);
    awaitable<Result<SocialEntry>> sign_up(SocialEntry entry, const SocialRequest& request, const Origin& origin,
                                           const Cause& cause);
    awaitable<SocialEntry> with_acceptances(SocialEntry entry, const SocialRequest& request, const Origin& origin,
                                            TimePoint now);

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
