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

// An entry that has the length of an ErasureEntry.
struct LoggedErasure {
    Uuid id;
    Bytes entry;
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
    // Up to `limit` above `after`, in the order of their ids: those of the consent log, and those that it will take in.
    awaitable<std::vector<LoggedErasure>> erasures(Uuid after, std::int64_t limit);
    // Of all rows that a verification reads.
    awaitable<std::vector<WrongValue>> wrong_values();

private:
    storage::Database& database_;
};

}  // namespace consentry
