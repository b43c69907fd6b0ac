// The SQL of acts: rows that wait for their entry in the administration log, and the evidence that it names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "features/activity/acts.hpp"
#include "storage/columns.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

inline constexpr auto act_columns = storage::columns<Act>(
    storage::column<"id", &Act::id>, storage::column<"code", &Act::code>, storage::column<"actor_id", &Act::actor>,
    storage::column<"subject_id", &Act::subject>, storage::column<"ip_address", &Act::ip_address>,
    storage::column<"user_agent", &Act::user_agent>, storage::column<"metadata", &Act::metadata>,
    storage::column<"acted_at", &Act::at>);

class ActRepository {
public:
    explicit ActRepository(storage::Database& database) : database_(database) {}

    static void add_insert(storage::Transaction& transaction, const Act& act);
    // These acts, the evidence. The entries of the log stay.
    static void add_erase(storage::Transaction& transaction, std::span<const ActId> ids);
    // Up to `limit` acts with this account as actor or as subject, in no order.
    awaitable<std::vector<ActId>> list_about(UserId user, std::int64_t limit);
    // If acts `are_logged`, those without an entry stay.
    awaitable<void> erase_older(TimePoint before, bool are_logged);

    // Acts without an entry, in the order of their ids.
    awaitable<std::vector<Act>> list_pending(std::int64_t limit);
    // Those that are marked as logged and have no entry.
    awaitable<std::uint64_t> count_unlogged();
    static void add_logged(storage::Transaction& transaction, ActId id);
    awaitable<std::vector<Act>> list(const std::vector<Uuid>& ids);

    // Parameters of one statement for any number of values, which the engine thus prepares once: `at_once` values from
    // `first` on, the last one repeated.
    static constexpr std::size_t at_once = 256;
    template <class Values>
    static storage::Params padded(const Values& values, std::size_t first) {
        storage::Params out;
        for (std::size_t i = 0; i < at_once; ++i)
            out.push_back(storage::bind(values[std::min(first + i, values.size() - 1)]));
        return out;
    }

private:
    storage::Database& database_;
};

}  // namespace consentry
