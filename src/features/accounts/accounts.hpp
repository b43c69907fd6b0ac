// The life cycle of an account as its owner controls it: sign-up, verification, changes, deletion, and finally erasure.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/acceptances/erasure_repository.hpp"
#include "features/accounts/erasure_repository.hpp"
#include "features/accounts/repository.hpp"
#include "features/mail/mails.hpp"
#include "features/passwords/passwords.hpp"
#include "features/users/consent.hpp"
#include "features/users/repository.hpp"

namespace consentry {

struct AccountSettings {
    LinkSettings verification;
    std::chrono::days erase_after{};
    bool acts_are_logged = false;  // the administration log is on
};

struct NewAccount {
    std::string email;
    std::string password;
    std::optional<std::string> name;
    SignUpFrom from = SignUpFrom::website;
    Language language = Language::en;
    std::vector<PolicyType> accepted;
};

// What erase_deleted() has erased since the start.
struct ErasureCount {
    std::int64_t accounts = 0;
    std::int64_t consents = 0;  // rows about acceptances and withdrawals
};

class Accounts {
public:
    // The references must outlive this object.
    Accounts(storage::Database& database, const Clock& clock, TwoFactor& two_factor, Passwords& passwords,
             Consents& consents, Mails& mails, Audit audit, AccountSettings settings);

    // Errors: validation, emailExist.
    awaitable<Result<void>> sign_up(NewAccount wanted, Cause cause);
    // Error: tokenInvalid.
    awaitable<Result<void>> verify(std::string token, Cause cause);
    awaitable<Result<void>> update_profile(Actor by, UserId user, ProfileChange change, Cause cause);
    // Deletes the account, which cannot be used from then on. Errors: notFound; with two-factor on, those of its proof.
    awaitable<Result<void>> delete_self(Actor by, UserId user, Proof proof, Cause cause);
    // The same for the operator, who needs no proof of the owner. Errors: notFound, lastSuperAdmin, those of the actor.
    awaitable<Result<void>> delete_by(Actor by, UserId user, Cause cause);
    // Erases deleted accounts whose retention has ended, each in a transaction of its own; an account with very many
    // rows takes several, the first of which erases what names the person. Several processes may work at the same time.
    // Throws Unavailable if accounts could not be erased, once all others are.
    awaitable<void> erase_deleted();
    ErasureCount erased() const { return {.accounts = erased_accounts_, .consents = erased_consents_}; }

private:
    void add_deletion(PrivilegedTransaction& transaction, UserId user, ActivityAction action, const Cause& cause,
                      TimePoint now);
    awaitable<void> erase(UserId user);
    awaitable<void> erase_portions(UserId user, ListedForErasure listed);

    storage::Database& database_;
    ErasureRepository erasure_;
    ActRepository acts_;
    ConsentErasureRepository consent_erasure_;
    AccountTokens tokens_;
    UserRepository users_;
    const Clock& clock_;
    TwoFactor& two_factor_;
    Passwords& passwords_;
    Consents& consents_;
    Mails& mails_;
    Audit audit_;
    const AccountSettings settings_;
    std::atomic<std::int64_t> erased_accounts_ = 0;
    std::atomic<std::int64_t> erased_consents_ = 0;
};

}  // namespace consentry
