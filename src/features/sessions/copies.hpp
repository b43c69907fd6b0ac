// The cached copies of live sessions of accounts that may act.
//
// With SESSION_CHECK=strict a copy is the session's jti and decides nothing. With SESSION_CHECK=cache it is believed
// for a while; so it is sealed and bound to its key: whoever can write to a shared cache can neither make one nor lay
// one under another session, nor bring one back that is older than that while.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/aead.hpp"
#include "features/sessions/repository.hpp"
#include "storage/cache.hpp"

namespace consentry {

// strict: every request is matched in the cache and in the database. cache: a cached copy is trusted, for a minute at
// most.
enum class SessionCheck { strict, cache };

class SessionCopies {
public:
    // `secrets`: the first one seals, all open.
    SessionCopies(storage::Cache& cache, SessionCheck check, std::string key_pattern,
                  const std::vector<std::string>& secrets)
        : cache_(cache), check_(check), key_pattern_(std::move(key_pattern)), sealing_(secrets, "consentry session") {}

    bool are_trusted() const { return check_ == SessionCheck::cache; }

    struct Found {
        bool agrees = false;                 // there is a copy with this jti
        std::optional<LiveSession> session;  // where copies are trusted; without its access digest
    };
    awaitable<Found> find(UserId user, SessionId id, std::string_view jti, TimePoint now);
    awaitable<void> put(const LiveSession& session, TimePoint now);
    awaitable<void> erase(UserId user, SessionId id);

private:
    std::string key(UserId user, SessionId id) const;
    std::optional<LiveSession> open(const std::string& key, std::string_view sealed, TimePoint now) const;

    storage::Cache& cache_;
    const SessionCheck check_;
    const std::string key_pattern_;
    const crypto::SealingKeys sealing_;
};

}  // namespace consentry
