// The SQL that erases the evidence of an erased account's consents. No other statement of the program deletes rows of
// term_policy_acceptances (DOC-5).
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/published_logs/repository.hpp"
#include "features/users/user.hpp"

namespace consentry {

class ConsentErasureRepository {
public:
    explicit ConsentErasureRepository(storage::Database& database) : subjects_(database) {}

    // Adds statements that delete up to `portion` acceptances of the account and the salts of their entries, and, with
    // the first portion, the account's tag. The log gets an entry that explains why the rows are missing, whether or
    // not the settings turn it on. Earlier, the transaction must mark the account as erased: these statements change
    // nothing of other accounts. If another process has deleted the tag meanwhile, the transaction fails here. Returns
    // the index of the statement that deletes the acceptances.
    awaitable<std::size_t> add_erase(storage::Transaction& transaction, UserId user, TimePoint now,
                                     std::int64_t portion);

private:
    SubjectRepository subjects_;
};

}  // namespace consentry
