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

class SocialRepository {
public:
    explicit SocialRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<UserId>> find_owner(SocialProvider provider, std::string subject);
    // Who the account is at this provider.
    awaitable<std::optional<std::string>> find_subject(UserId user, SocialProvider provider);
    awaitable<bool> is_spent(crypto::Sha256 digest);
    // Tokens that have expired meanwhile.
    awaitable<void> erase_spent(TimePoint before);

    // Expect::one: nobody logged in with this token before (SOC-4).
    static void add_spending(storage::Transaction& transaction, const Identity& identity);
    // Expect::one: the identity is this account's, or nobody's until now.
    static void add_use(storage::Transaction& transaction, UserId user, SocialProvider provider,
                        const std::string& subject, const std::optional<std::string>& email, TimePoint now);
    // Expect::one: the account is unverified and still at `expected`. Its password is gone, its security version rises,
    // links that were sent for it are worth nothing.
    static void add_take_over(storage::Transaction& transaction, UserId user, std::int64_t expected, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
