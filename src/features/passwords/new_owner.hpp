// Hands an account with an unproven address to the owner of the address.
//
// A stranger may have signed up with the address, perhaps to wait for its owner. The person who then proves it with
// Google, Apple or the link of a reset, or gets a password that only a reader of the mailbox learns, is the owner.
// Nothing that the account held before may outlive that. The link of a sign-up does less: it confirms what was entered
// there, including the password and the acceptances.
#pragma once

#include <cstdint>

#include "features/activity/audit.hpp"
#include "features/users/consent.hpp"

namespace consentry {

// Who made the request. The origin of an administrator's is no evidence of what the owner did.
enum class Asker : std::uint8_t { owner, administrator };

// Whether a stranger may have signed up with the address. What the operator and administrators create is verified, and
// nothing ends that, so an account of theirs that is not verified was imported: it has no owner yet.
inline bool may_be_strangers(const User& seen) {
    return !seen.is_verified && (seen.sign_up_from == SignUpFrom::website || seen.sign_up_from == SignUpFrom::mobile);
}

// Does nothing if the account, as it was seen, is verified. Otherwise marks it as verified, which its activity log
// tells, deletes its identities and its second factor, and what a stranger may have entered as name and gender, and
// withdraws all acceptances, because the owner has not agreed to anything yet. Add after the statements that replace or
// remove the password of that generation and end its grants. Returns the time for what the transaction accepts
// afterwards.
storage::awaitable<TimePoint> add_new_owner(storage::Transaction& transaction, Consents& consents, User seen,
                                            Cause cause, Asker asker, TimePoint now);

}  // namespace consentry
