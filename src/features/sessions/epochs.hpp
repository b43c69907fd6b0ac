// The installation's epoch: above all that was ever granted (STO-6, docs/decisions/0020).
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// What a raise ended, as far as rows tell: logins that wait for their second step are in the cache.
struct RaisedEpoch {
    std::int64_t epoch = 0;
    std::int64_t sessions = 0;
    std::int64_t links = 0;
    std::int64_t backup_codes = 0;
    std::int64_t api_keys = 0;
};

class Epochs {
public:
    explicit Epochs(storage::Database& database) : database_(database) {}

    // One statement. From its commit on, nothing that was granted before is accepted by any instance: sessions, refresh
    // tokens, links, challenges, backup codes; one-time codes and identity tokens up to now count as used; API keys,
    // unless they are kept. Passwords, authenticator applications and identities at providers stay.
    awaitable<RaisedEpoch> raise(bool keep_api_keys, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
