// The SQL of codes that have been used.
#pragma once

#include "crypto/digest.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

class SpentCodeRepository {
public:
    explicit SpentCodeRepository(storage::Database& database) : database_(database) {}

    // Returns true to the first caller alone, on all instances. One statement.
    awaitable<bool> spend(crypto::Sha256 digest, TimePoint expires_at);
    // Deletes the records of codes that expired before `before`.
    awaitable<void> erase_expired(TimePoint before);

private:
    storage::Database& database_;
};

}  // namespace consentry
