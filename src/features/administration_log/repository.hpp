// The SQL of the administration log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/activity/act_repository.hpp"
#include "features/published_logs/erasure_entry.hpp"
#include "features/published_logs/wrong_values.hpp"
#include "storage/database.hpp"

namespace consentry {

// An account behind a tag.
struct TaggedAccount {
    UserId id;
    Bytes tag;
    std::string email;
};

class AdministrationLogRepository {
public:
    explicit AdministrationLogRepository(storage::Database& database) : database_(database) {}

    // Adds nothing if the act has an entry: an intruder who marks acts as new must not stop the log.
    static void add_entry(storage::Transaction& transaction, ActId act, const Bytes& entry, const AddendumSalt& salt);
    // Those of these accounts that have a tag.
    awaitable<std::vector<TaggedAccount>> accounts(const std::vector<UserId>& users);
    // Those of these tags that an account has.
    awaitable<std::vector<TaggedAccount>> accounts(const std::vector<Bytes>& tags);
    // Entries that have the length of an ErasureEntry, above `after` up to `last`: those of the consent log, and those
    // that it will take in.
    awaitable<std::vector<Bytes>> erasures(Uuid after, Uuid last);
    // Where a portion of the entries above `after` ends, whichever log they are in; the greatest id if it is the last
    // portion.
    awaitable<Uuid> end_of_portion(Uuid after);
    // Of all rows that a verification reads.
    awaitable<std::vector<WrongValue>> wrong_values();

private:
    storage::Database& database_;
};

}  // namespace consentry
