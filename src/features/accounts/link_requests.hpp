// "Send me a link": asked for by anybody, for any address.
//
// The request writes down that it was asked, in one statement that is the same whoever the address belongs to. What is
// behind the address is looked at later, where nobody waits for an answer: neither words nor time tell a stranger
// whether there is an account (REC-1).
#pragma once

#include <string>

#include "base/clock.hpp"
#include "features/accounts/repository.hpp"
#include "features/mail/mails.hpp"
#include "features/users/repository.hpp"

namespace consentry {

struct LinkRequestSettings {
    LinkSettings verification;
    LinkSettings forgot_password;
    std::string address_key;  // keys the digests of addresses

    const LinkSettings& of(TokenPurpose purpose) const {
        return purpose == TokenPurpose::verify_email ? verification : forgot_password;
    }
};

class LinkRequests {
public:
    // All outlive this.
    LinkRequests(storage::Database& database, const Clock& clock, UserRepository& users, Mails& mails, Audit audit,
                 LinkRequestSettings settings);

    awaitable<void> request(TokenPurpose purpose, std::string email, Cause cause);
    // Writes the mails of what was asked for since. Any number of instances may do so at once.
    awaitable<void> work_off();
    awaitable<void> forget_old();

private:
    awaitable<void> handle(LinkRequest request);

    storage::Database& database_;
    LinkRequestRepository repository_;
    AccountTokens tokens_;
    const Clock& clock_;
    UserRepository& users_;
    Mails& mails_;
    Audit audit_;
    const LinkRequestSettings settings_;
};

}  // namespace consentry
