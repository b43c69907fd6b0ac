// The SQL of requests for links, and of accounts that change or go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crypto/digest.hpp"
#include "features/users/account_tokens.hpp"
#include "features/users/actor.hpp"

namespace consentry {

// Somebody asked for a link to be mailed to this address.
struct LinkRequest {
    crypto::Sha256 address_digest{};
    TokenPurpose purpose = TokenPurpose::verify_email;
    std::string email;
    std::string ip_address;
    std::string user_agent;
    TimePoint requested_at;
};

class LinkRequestRepository {
public:
    explicit LinkRequestRepository(storage::Database& database) : database_(database) {}

    // false: nothing was written, there was one with this address after `again_after`. One statement, whoever the
    // address belongs to (REC-1).
    awaitable<bool> request(LinkRequest request, TimePoint again_after);
    // The oldest that nobody looked at.
    awaitable<std::vector<LinkRequest>> list_open(std::int64_t limit);
    // Expect::one: it is open. Of a stranger's address nothing stays but the digest.
    static void add_handled(storage::Transaction& transaction, const LinkRequest& request, TimePoint now);
    awaitable<void> erase_older(TimePoint before);

private:
    storage::Database& database_;
};

// What an owner changes of their account.
struct ProfileChange {
    std::optional<std::string> name = {};
    std::optional<Language> language = {};
    std::optional<Gender> gender = {};
};

class AccountRepository {
public:
    explicit AccountRepository(storage::Database& database) : database_(database) {}

    // Expect::one: there is such an account. What is empty stays as it is.
    static void add_profile_change(storage::Transaction& transaction, UserId user, const ProfileChange& change,
                                   TimePoint now);
    // The address was proven by a link. Expect::one: there is such an account. Identities that came with an account
    // whose address nobody had proven (an import of a former version) are not known to be its owner's.
    static void add_verified(storage::Transaction& transaction, UserId user, TimePoint now);
    // Its first statement is an Expect::one that fails where the account is gone already. Its address and user name are
    // free from the commit on; what lets anybody in is gone.
    static void add_delete(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    // Accounts that were deleted before then and still tell whose they were.
    awaitable<std::vector<UserId>> list_erasable(TimePoint deleted_before, std::int64_t limit);
    // What tells of the person; what happened stays, without saying from where.
    static void add_erase(storage::Transaction& transaction, UserId user, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
