// The SQL of link requests and profiles, and of changing and deleting accounts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crypto/digest.hpp"
#include "features/acceptances/repository.hpp"
#include "features/users/account_tokens.hpp"
#include "features/users/actor.hpp"

namespace consentry {

// A request to mail a link to this address.
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

    // Returns false without writing if this address was requested after `again_after`, unless that lies in the future:
    // then the clock was set back. Runs one statement, the same for every address (REC-1).
    awaitable<bool> request(LinkRequest request, TimePoint again_after);
    // Returns the oldest requests that have not been handled.
    awaitable<std::vector<LinkRequest>> list_open(std::int64_t limit);
    // Expect::one: the request is open. Clears everything but the address's digest, since the address may be a
    // stranger's.
    static void add_handled(storage::Transaction& transaction, const LinkRequest& request, TimePoint now);
    // Moves the time of handling from `before` to `now`. Expect::one: the address has not been requested again.
    static void add_handled_again(storage::Transaction& transaction, const crypto::Sha256& address_digest,
                                  TokenPurpose purpose, TimePoint before, TimePoint now);
    // Deletes the requests from before `begin` and after `end`, and those that were handled before `handled_begin`,
    // which is not earlier than `begin`.
    awaitable<void> erase_outside(TimePoint handled_begin, TimePoint begin, TimePoint end);

private:
    storage::Database& database_;
};

// An account as its owner and administrators see it.
struct AccountView {
    struct Factor {
        bool enabled = false;
        bool required_setup = false;
        std::optional<TimePoint> confirmed_at;
    };
    Profile profile;
    std::optional<Factor> factor;
    PolicyVersions accepted;
};

class ProfileRepository {
public:
    explicit ProfileRepository(storage::Database& database) : database_(database) {}

    // Skips deleted accounts. One look-up, because applications ask for the profile often.
    awaitable<std::optional<AccountView>> find(UserId user);

private:
    storage::Database& database_;
};

// The owner's changes to an account.
struct ProfileChange {
    std::optional<std::string> name = {};
    std::optional<Language> language = {};
    std::optional<Gender> gender = {};
};

class AccountRepository {
public:
    // Expect::one: the account exists. Empty members leave the stored value unchanged.
    static void add_profile_change(PrivilegedTransaction& transaction, UserId user, const ProfileChange& change,
                                   TimePoint now);
    // Marks the address as proven by a link. Expect::one: the account exists. Deletes the identities of a previously
    // unverified account (imported by an earlier version): they are not known to be the owner's. Those that the
    // operator has unlinked stay unlinked.
    static void add_verified(storage::Transaction& transaction, UserId user, TimePoint now);
    // Asserts that the role of the account still has the type that was read: a change of the role leaves the version of
    // its accounts as it is. Changes nothing. Expect::one.
    static void add_same_role_type(PrivilegedTransaction& transaction, const User& seen);
    // The first statement is an Expect::one that fails if the account is already deleted. The commit frees the address
    // and the username and removes every means of logging in.
    static void add_delete(PrivilegedTransaction& transaction, UserId user, TimePoint now);
};

}  // namespace consentry
