// The SQL of identities at providers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crypto/digest.hpp"
#include "features/login/identity_token.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// The identity used for a login; written together with the session. If neither flag is set, the transaction creates the
// account or takes it over.
struct IdentityUse {
    SocialProvider provider = SocialProvider::google;
    std::string subject;
    std::optional<std::string> email;
    bool is_linked = false;  // already linked to the account, and still linked after the transaction
    bool joins = false;      // newly linked to an existing account, whose owner is notified
};

struct LinkedIdentity {
    std::string provider;
    std::string subject;
    std::optional<std::string> email;
    TimePoint created_at;
    std::optional<TimePoint> last_used_at;
    std::optional<TimePoint> unlinked_at;
};

class SocialRepository {
public:
    explicit SocialRepository(storage::Database& database) : database_(database) {}

    // Returns the account to which the identity is linked in the account's current generation. The link alone permits a
    // login.
    awaitable<std::optional<UserId>> find_owner(SocialProvider provider, std::string subject);
    // The account's subject at a provider.
    struct Subject {
        std::string subject;
        bool is_current = false;  // linked in the account's current generation
    };
    awaitable<std::optional<Subject>> find_subject(UserId user, SocialProvider provider);
    // Returns what permits a login to the account, and what add_removal() has removed from it.
    awaitable<std::vector<LinkedIdentity>> list(UserId user);
    // Whether add_removal() has removed it from the account.
    awaitable<bool> is_removed(UserId user, SocialProvider provider, std::string subject);
    // Returns true if the token was used, or was issued before the epoch was raised: such tokens may have been used.
    awaitable<bool> is_spent(Identity identity);
    // Deletes the records of tokens that expired before `before`.
    awaitable<void> erase_spent(TimePoint before);

    // Expect::one: is_spent() is still false (SOC-4).
    static void add_spending(storage::Transaction& transaction, const Identity& identity);
    // Expect::one: the identity is unlinked, or it is this account's and of its current generation. With `joins`, the
    // generation does not matter.
    static void add_use(storage::Transaction& transaction, UserId user, const IdentityUse& use, TimePoint now);
    // Expect::one: the account's subject at the provider is this one. Keeps in mind that it was removed, for as long as
    // the account has an owner: until it is erased or taken over.
    static void add_removal(PrivilegedTransaction& transaction, UserId user, SocialProvider provider,
                            const std::string& subject, TimePoint now);
    // Expect::one: the account is unverified and its security version is still `expected`. Removes the password
    // and ends all grants; add_new_owner() does the rest.
    static void add_take_over(storage::Transaction& transaction, UserId user, std::int64_t expected, TimePoint now);
    static void add_name(storage::Transaction& transaction, UserId user, const std::string& name);
    static void add_language(storage::Transaction& transaction, UserId user, Language language);

private:
    storage::Database& database_;
};

}  // namespace consentry
