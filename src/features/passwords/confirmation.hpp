// Proving again who one is, within a live session: for the changes that ask for a fresh proof.
#pragma once

#include <optional>
#include <string>

#include "features/passwords/passwords.hpp"
#include "features/users/caller.hpp"

namespace consentry {

// The second factor where it is on, and the password where it is off: never less than a thief of the session lacks.
struct OwnerProof {
    std::optional<std::string> password;
    Proof factor;
};

class Confirmation {
public:
    // All outlive this.
    Confirmation(storage::Database& database, const Clock& clock, UserRepository& users, TwoFactor& two_factor,
                 Passwords& passwords, Audit audit);

    // Counted and locked like every other check. Errors: those of the password or of the second factor;
    // twoFactorMethodRequired for a password where two-factor is on; passwordNotSet where there is nothing to prove
    // with but a new login.
    awaitable<Result<void>> confirm(SignedIn caller, OwnerProof proof, Cause cause);

private:
    awaitable<Result<void>> check_password(User user, std::string password, Cause cause);

    storage::Database& database_;
    const Clock& clock_;
    UserRepository& users_;
    TwoFactor& two_factor_;
    Passwords& passwords_;
    Audit audit_;
};

}  // namespace consentry
