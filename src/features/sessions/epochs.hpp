// The installation's epoch. Raising it ends every grant of the installation (STO-6, docs/decisions/0020).
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

struct RaisedEpoch {
    std::int64_t epoch = 0;
    std::int64_t former_grants = 0;
    std::optional<std::int64_t> former_api_keys{};  // nullopt: API keys were kept
};

// What a raise ended, as far as database rows show. Logins waiting for their second factor are in the cache only.
struct EndedGrants {
    std::int64_t sessions = 0;
    std::int64_t links = 0;
    std::int64_t backup_codes = 0;
    std::int64_t api_keys = 0;
};

class Epochs {
public:
    explicit Epochs(storage::Database& database) : database_(database) {}

    // Raises the epoch in one statement. From its commit on, every instance rejects all earlier grants: sessions,
    // refresh tokens, links, challenges, backup codes and, unless `keep_api_keys`, API keys. One-time codes and
    // identity tokens up to now count as used. Passwords, authenticator applications and identities at providers stay
    // valid.
    awaitable<RaisedEpoch> raise(bool keep_api_keys, TimePoint now);

    // Looks at all sessions, links and backup codes. Throws Unavailable if there are too many to count them in the time
    // of a search; the epoch is raised nevertheless.
    awaitable<EndedGrants> count_ended(RaisedEpoch raised, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
