// The SQL of identities at providers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crypto/digest.hpp"
#include "features/login/identity_token.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// An identity with which somebody logs in; written down with the session.
struct IdentityUse {
    SocialProvider provider = SocialProvider::google;
    std::string subject;
    std::optional<std::string> email;
    bool joins = false;  // the account gets to know it: its owner is told
};

class SocialRepository {
public:
    explicit SocialRepository(storage::Database& database) : database_(database) {}

    // Whose an identity is that logs in by itself.
    awaitable<std::optional<UserId>> find_owner(SocialProvider provider, std::string subject);
    // Who the account is at this provider.
    struct Subject {
        std::string subject;
        bool is_current = false;  // of the account's present generation
    };
    awaitable<std::optional<Subject>> find_subject(UserId user, SocialProvider provider);
    // Used, or issued before the epoch was raised: nobody knows whether it was.
    awaitable<bool> is_spent(Identity identity);
    // Tokens that have expired meanwhile.
    awaitable<void> erase_spent(TimePoint before);

    // Expect::one: is_spent() is still false (SOC-4).
    static void add_spending(storage::Transaction& transaction, const Identity& identity);
    // Expect::one: the identity is this account's and of its present generation, or nobody's until now; where it joins,
    // the account's or nobody's.
    static void add_use(storage::Transaction& transaction, UserId user, const IdentityUse& use, TimePoint now);
    // Expect::one: the account is unverified and still at `expected`. Whatever lets anybody in is gone.
    static void add_take_over(storage::Transaction& transaction, UserId user, std::int64_t expected, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
