// "Send me a link": anyone may request one, for any address.
//
// The request only records itself, in one statement that is the same for every address. The address is looked up later,
// in the background, so neither the content nor the timing of the response reveals whether an account exists (REC-1).
//
// Each address gets one link per waiting time, and each client network a limited number of requests. A request above
// either limit gets the same answer, because a refusal would tell whether another client asked for the address.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "features/accounts/repository.hpp"
#include "features/mail/allowance.hpp"
#include "features/mail/mails.hpp"
#include "features/users/repository.hpp"
#include "http/steps/rate_limit.hpp"
#include "storage/cache.hpp"

namespace consentry {

struct LinkRequestSettings {
    LinkSettings verification;
    LinkSettings forgot_password;
    std::string address_key;          // HMAC key for the digests of addresses
    std::int64_t per_client_max = 0;  // requests in ten minutes, of all purposes together; 0: no limit

    const LinkSettings& of(TokenPurpose purpose) const {
        return purpose == TokenPurpose::verify_email ? verification : forgot_password;
    }
};

class LinkRequests {
public:
    // The references must outlive this object.
    LinkRequests(storage::Database& database, storage::Cache& cache, const Clock& clock, UserRepository& users,
                 Mails& mails, Audit audit, LinkRequestSettings settings);

    awaitable<void> request(TokenPurpose purpose, std::string email, Cause cause);
    // Handles the open requests and queues their mails, as many as allowed. Several instances may run this
    // concurrently.
    awaitable<void> work_off(MailAllowance allowance);
    // Replaces a mail that `mark` holds by one with a new link, if it was the probe of an outage. Returns false if it
    // was not, or if its reader is not to get that link any more, for example because another request has followed.
    awaitable<bool> renew(StoredMail mail, MailMark mark);
    awaitable<void> forget_old();

private:
    // Returns why no link will be sent, or nothing if one will.
    awaitable<std::optional<std::string_view>> take(TokenPurpose purpose, std::string email, const Cause& cause);
    awaitable<bool> handle(LinkRequest request, bool is_probe);  // returns whether it has written a mail
    crypto::Sha256 digest_of(const std::string& email) const;
    void add_link(storage::Transaction& transaction, UserId user, TokenPurpose purpose, bool is_probe, TimePoint now);

    storage::Database& database_;
    LinkRequestRepository repository_;
    AccountTokens tokens_;
    const Clock& clock_;
    UserRepository& users_;
    Mails& mails_;
    Audit audit_;
    const LinkRequestSettings settings_;
    http::RateLimit per_client_;
};

}  // namespace consentry
