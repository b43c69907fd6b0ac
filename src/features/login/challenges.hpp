// The open second step of a login: an opaque token, kept in the cache under its digest for five minutes.
//
// A challenge is a claim, not a decision: it names the account and the generation it was made in, and the
// login that spends it writes its digest into the session's row, where it can stand only once. So losing the cache
// loses logins in progress and nothing else, and a challenge restored by hand buys nothing. It is sealed: whoever can
// write to a shared cache cannot make one, and so not skip the first factor.
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
inline constexpr std::int64_t open_challenges_max = 200;  // per account; a new one pushes out the oldest

struct Challenge {
    UserId user;
    std::int64_t security_version = 0;
    std::int64_t epoch = 0;
    bool required_setup = false;  // made for a forced set-up
    Origin origin;
    std::optional<IdentityUse> identity;  // of a login with an identity token
    TimePoint issued_at;
};

class Challenges {
public:
    // `secrets`: the first one seals, all open.
    Challenges(storage::Cache& cache, const Clock& clock, const std::vector<std::string>& secrets)
        : cache_(cache), clock_(clock), sealing_(secrets, "consentry login challenge") {}

    // The token, told once. `sequence` numbers the account's challenges. Throws Unavailable where the cache is away:
    // without a place for the challenge there is no login.
    awaitable<std::string> issue(Challenge challenge, std::int64_t sequence);
    // nullopt: unknown, expired, spent, malformed or damaged; nobody can tell which (CHL-5).
    awaitable<std::optional<Challenge>> find(std::string token);
    awaitable<void> forget(std::string token);

    static crypto::Sha256 digest(std::string_view token);

private:
    storage::Cache& cache_;
    const Clock& clock_;
    const crypto::SealingKeys sealing_;
};

}  // namespace consentry
