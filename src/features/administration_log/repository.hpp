// The SQL of the administration log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/activity/act_repository.hpp"
#include "features/published_logs/repository.hpp"
#include "storage/database.hpp"

namespace consentry {

// An account behind a tag.
struct TaggedAccount {
    UserId id;
    Bytes tag;
    std::string email;
    bool is_erased = false;
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

private:
    storage::Database& database_;
};

}  // namespace consentry
