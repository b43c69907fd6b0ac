// Hands an account with an unproven address to the owner of the address.
//
// Anybody may have signed up with the address, perhaps to wait for its owner. The person who then proves it with
// Google, Apple or the link of a reset, or gets a password that only a reader of the mailbox learns, is the owner.
// Nothing that the account held before may outlive that. The link of a sign-up does less: it confirms what was entered
// there, including the password and the acceptances.
#pragma once

#include <optional>

#include "base/security_events.hpp"
#include "features/users/consent.hpp"

namespace consentry {

// Does nothing if the account, as it was seen, is verified. Otherwise marks it as verified, deletes its identities and
// its second factor, and withdraws all acceptances, because the owner has not agreed to anything yet. `origin` is the
// owner's, and empty if somebody else made the request. Add after the statements that replace or remove the password
// of that generation and end its grants. Returns the time for what the transaction accepts afterwards.
storage::awaitable<TimePoint> add_new_owner(storage::Transaction& transaction, Consents& consents, User seen,
                                            std::optional<EventOrigin> origin, TimePoint now);

}  // namespace consentry
