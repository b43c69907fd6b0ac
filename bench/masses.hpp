// Accounts and sessions by the million, written by PostgreSQL itself, and tokens for some of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stage.hpp"

namespace consentry::bench {

// A database of its own, filled with accounts whose second factor is on and with sessions that the accounts began in
// turn, and a database of Redis with the copies of these sessions. The sessions lie in the order in which they began,
// as they would.
class MassDatabase {
public:
    // Takes minutes for ten million sessions. On return the server has cleaned up behind it. `cache` is the number of
    // the database in Redis. Signs tokens for so many of the sessions, picked at random; the number divides that of the
    // sessions.
    MassDatabase(const Stage& stage, std::string name, int cache, const Masses& masses, std::size_t tokens);

    const std::string& name() const { return name_; }
    const Masses& masses() const { return masses_; }
    // With which the service uses it.
    const Environment& settings() const { return settings_; }
    const std::vector<TokenPair>& tokens() const { return tokens_; }
    double fill_seconds() const { return fill_seconds_; }

private:
    std::string name_;
    Masses masses_;
    Environment settings_;
    std::vector<TokenPair> tokens_;
    double fill_seconds_ = 0;
};

}  // namespace consentry::bench
