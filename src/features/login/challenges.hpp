// The open second step of a login: an opaque token whose challenge the cache keeps for five minutes, under the token's
// digest.
//
// A challenge decides nothing by itself. It names the account and the generation in which it was issued; the login that
// spends it writes its digest into the session's row, where the digest is unique. Losing the cache therefore loses only
// the logins in progress, and restoring a spent challenge gains nothing. The challenge is sealed, so write access to a
// shared cache is not enough to forge one and skip the first factor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "crypto/aead.hpp"
#include "crypto/digest.hpp"
#include "features/login/social_accounts.hpp"
#include "features/sessions/repository.hpp"
#include "storage/cache.hpp"

namespace consentry {

inline constexpr milliseconds challenge_ttl{300'000};
inline constexpr std::int64_t open_challenges_max = 200;  // per account; a new challenge evicts the oldest

struct Challenge {
    UserId user;
    std::int64_t security_version = 0;
    std::int64_t epoch = 0;
    bool required_setup = false;  // issued for a forced set-up
    Origin origin;
    std::optional<IdentityUse> identity;  // set when the login used an identity token
    TimePoint issued_at;
};

class Challenges {
public:
    // The first of `secrets` seals; all of them open. `cache` and `clock` must outlive this object.
    Challenges(storage::Cache& cache, const Clock& clock, const std::vector<std::string>& secrets)
        : cache_(cache), clock_(clock), sealing_(secrets, "consentry login challenge") {}

    // Returns the token, which cannot be read again. Throws Unavailable when the cache cannot be reached: a login
    // cannot continue without a stored challenge.
    awaitable<std::string> issue(Challenge challenge);
    // Makes room: evicts the account's challenge that is `open_challenges_max` older. `sequence` numbers them. If the
    // cache cannot be reached, nothing is evicted.
    awaitable<void> evict_oldest(UserId user, std::int64_t sequence, std::string token);
    // Returns nullopt if the token is unknown, expired, spent, malformed or damaged; the caller cannot tell which
    // (CHL-5).
    awaitable<std::optional<Challenge>> find(std::string token);
    awaitable<void> forget(std::string token);

    static crypto::Sha256 digest(std::string_view token);

private:
    storage::Cache& cache_;
    const Clock& clock_;
    const crypto::SealingKeys sealing_;
};

}  // namespace consentry
