// The SQL of a witness.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/database.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry {

using storage::awaitable;

// The migrations of a witness's own database.
const std::vector<storage::Migration>& witness_migrations();

class WitnessRepository {
public:
    explicit WitnessRepository(storage::Database& database) : database_(database) {}

    // The latest checkpoint that this witness has cosigned of a log.
    awaitable<std::optional<tlog::Checkpoint>> find(std::string origin);
    // Records the checkpoint if the latest one still has `old_size` entries, or if there is none. Otherwise changes
    // nothing and returns false. The size must not be below `old_size`.
    awaitable<bool> advance(std::int64_t old_size, tlog::Checkpoint next, std::string note, TimePoint now);

    // Lets the key use this database from now on: it is new, or it remembers more than a new one would.
    awaitable<void> add_key(std::string verifier_key);
    // Whether the key may use this database. One that names no key, from a former version, is that of the first key.
    awaitable<bool> belongs_to(std::string verifier_key);

private:
    storage::Database& database_;
};

}  // namespace consentry
