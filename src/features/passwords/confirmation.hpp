// Confirms the owner's identity within a live session, for changes that require a fresh proof.
#pragma once

#include <optional>
#include <string>

#include "features/passwords/passwords.hpp"
#include "features/sessions/repository.hpp"
#include "features/users/caller.hpp"

namespace consentry {

// The second factor if two-factor is on, otherwise the password: always something that stealing the session does not
// give.
struct OwnerProof {
    std::optional<std::string> password;
    Proof factor;
};

// A right proof that is still to be spent.
struct ProvenCaller {
    SignedIn caller;
    std::optional<RightProof> factor;  // none: the password
    Cause cause;
};

class Confirmation {
public:
    // All arguments must outlive this.
    Confirmation(storage::Database& database, const Clock& clock, UserRepository& users, TwoFactor& two_factor,
                 Passwords& passwords, Audit audit);

    // Checks the proof. Failures count and lock as in every other check. Errors: those of the password or of the second
    // factor; twoFactorMethodRequired for a password while two-factor is on; passwordNotSet if the account has neither,
    // so that only a new login can prove its owner.
    awaitable<Result<ProvenCaller>> prove(SignedIn caller, OwnerProof proof, Cause cause);
    // Marks the session as freshly proven and replaces its secret in the same commit: who copied the one from before
    // gains nothing (SES-4). Errors: 401 if the session is over or another request has replaced its secret; that of the
    // second factor if another request has spent the proof.
    awaitable<Result<void>> confirm(ProvenCaller proven, Rotation rotation);

private:
    awaitable<Result<void>> check_password(User user, std::string password, Cause cause);
    // What the transaction leaves in the row of the session: it is compared if the answer to the commit is lost.
    struct Mark {
        SessionId session;
        TimePoint proven_at;
        std::string jti;
    };
    awaitable<Result<storage::Outcome>> commit(PrivilegedTransaction transaction, Mark mark);

    storage::Database& database_;
    SessionRepository sessions_;
    const Clock& clock_;
    UserRepository& users_;
    TwoFactor& two_factor_;
    Passwords& passwords_;
    Audit audit_;
};

}  // namespace consentry
