// Cached copies of live sessions whose accounts may act.
//
// With SESSION_CHECK=strict a copy only marks the session's jti and decides nothing. With SESSION_CHECK=cache a copy is
// trusted for a limited time. It is therefore sealed and bound to its cache key: an attacker who can write to a shared
// cache can neither forge a copy, nor move one to another session, nor replay one that has expired.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/aead.hpp"
#include "features/sessions/repository.hpp"
#include "storage/cache.hpp"

namespace consentry {

// strict: the database decides on every request, if only by saying that nothing has changed since the copy was made.
// cache: a cached copy is trusted for up to a minute.
enum class SessionCheck { strict, cache };

class SessionCopies {
public:
    // The first of `secrets` seals; all of them open.
    SessionCopies(storage::Cache& cache, SessionCheck check, std::string key_pattern,
                  const std::vector<std::string>& secrets)
        : cache_(cache), check_(check), key_pattern_(std::move(key_pattern)), sealing_(secrets, "consentry session") {}

    bool are_trusted() const { return check_ == SessionCheck::cache; }

    // If copies are trusted: the copy with this jti, without its access digest.
    awaitable<std::optional<LiveSession>> find(UserId user, SessionId id, std::string_view jti, TimePoint now);
    // If not: begins to read the copy, which is_of() compares. Throws like storage::Cache::begin_get.
    std::unique_ptr<storage::Cache::Reading> begin_read(const boost::asio::any_io_executor& executor, UserId user,
                                                        SessionId id) const;
    static bool is_of(std::string_view copy, std::string_view jti);
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
