// The SQL of feature flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "base/uuid.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;
using FeatureFlagId = Id<struct FeatureFlagTag>;

struct FeatureFlagRecord {
    FeatureFlagId id;
    std::string key;
    std::string description;
    bool is_enabled = false;
    std::int64_t rollout_percent = 0;
    boost::json::object metadata;  // empty: none
    TimePoint created_at;
    TimePoint updated_at;
    std::optional<UserId> updated_by;
};

class FeatureFlagRepository {
public:
    explicit FeatureFlagRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<FeatureFlagRecord>> find(FeatureFlagId id);
    awaitable<std::optional<FeatureFlagRecord>> find_by_key(std::string key);
    awaitable<ListSlice<FeatureFlagRecord>> list(ListQuery query);

    // Expect::one for both: the flag exists.
    static void add_status(PrivilegedTransaction& transaction, FeatureFlagId id, bool is_enabled,
                           std::int64_t rollout_percent, std::optional<UserId> by, TimePoint now);
    static void add_metadata(PrivilegedTransaction& transaction, FeatureFlagId id, const boost::json::object& metadata,
                             std::optional<UserId> by, TimePoint now);
    // Returns the flag after a change whose first statement was one of the above.
    static FeatureFlagRecord changed(const storage::Outcome& outcome);

private:
    storage::Database& database_;
};

}  // namespace consentry
