// SQLite and the caches in the process serve one service. A second one on the same database would not learn what the
// first changes, such as a feature flag that is off, and would count failures and limits by itself.
#pragma once

#include <filesystem>

#include "app/config/config.hpp"
#include "base/clock.hpp"

namespace consentry {

// From lock() to its destruction, this process is the only service on a database of SQLite. The system also ends the
// lock with the process. Commands do not take it: they work beside a service. With PostgreSQL, and on a file system
// without locks (flock(2)), it does nothing.
//
// It holds the file of the database open and must outlive every connection: if a process closes a file anywhere, the
// locks of SQLite on it end (fcntl(2)).
class SoleService {
public:
    explicit SoleService(const Config& config);
    ~SoleService();
    SoleService(const SoleService&) = delete;
    SoleService& operator=(const SoleService&) = delete;

    // Blocks for up to `patience`, because a service may just be ending or checked. Throws std::runtime_error if
    // another service holds the lock. Without a file of the database there is nothing to share: a first start makes it,
    // and then calls again.
    void lock(milliseconds patience);

private:
    const std::filesystem::path file_;
    int descriptor_ = -1;
};

}  // namespace consentry
