// The SQL of the kinds of password hashes that are in use beside our own.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/database.hpp"

namespace consentry {

class PasswordKindRepository {
public:
    explicit PasswordKindRepository(storage::Database& database) : database_(database) {}

    // At most `limit` kinds other than `own`.
    storage::awaitable<std::set<std::string>> list_others(std::string own, std::int64_t limit);
    storage::awaitable<std::vector<std::string>> list_seen_before(TimePoint before);
    // Whether an account has a hash that begins so. Searches all accounts.
    storage::awaitable<bool> is_used(std::string beginning);
    // Does nothing if the kind has been seen since.
    storage::awaitable<void> erase(std::string kind, TimePoint seen_before);
    static void add_seen(storage::Transaction& transaction, const std::string& kind, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
