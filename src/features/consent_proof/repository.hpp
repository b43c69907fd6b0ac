// The SQL of what others verify: entries with the evidence about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "features/consent_log/entry.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// An entry that has a position, and what an addendum is made of, unless it is erased.
struct ProvableEntry {
    std::int64_t position = 0;
    Bytes entry;
    std::optional<Bytes> salt;
    std::optional<Addendum> addendum;
};

class ProofRepository {
public:
    explicit ProofRepository(storage::Database& database) : database_(database) {}

    // All entries at the positions from `from` on and below `to`, in their order.
    awaitable<std::vector<ProvableEntry>> list(std::int64_t from, std::int64_t to);
    // At most `count` of the entries without a position whose ids follow `after`.
    struct PendingEntry {
        Uuid id;
        Bytes entry;
    };
    awaitable<std::vector<PendingEntry>> list_pending(Uuid after, std::int64_t count);
    awaitable<std::optional<std::string>> find_page(std::string hash);
    // Whether there is such an account, deleted or not, that is not erased.
    awaitable<bool> has_account(UserId user);

private:
    storage::Database& database_;
};

}  // namespace consentry
