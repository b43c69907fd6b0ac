// Features that can be turned off while the service runs, and rolled out to a percentage of the users.
//
// The database is authoritative. The cache holds copies, so that a login needs no extra query. A change first replaces
// the copy by a marker that means "ask the database" and lives as long as a copy. Readers only fill an absent entry, so
// even a slow reader cannot restore the old state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/activity/audit.hpp"
#include "features/feature_flags/repository.hpp"
#include "http/gate.hpp"
#include "storage/cache.hpp"

namespace consentry {

struct FeatureFlagSettings {
    std::string cache_prefix = "FeatureFlag";
    milliseconds cache_ttl = std::chrono::hours{1};  // zero: nothing is cached
};

class FeatureFlags final : public http::Gate {
public:
    // The references must outlive this object.
    FeatureFlags(storage::Database& database, storage::Cache& cache, const Clock& clock, FeatureFlagSettings settings)
        : database_(database), repository_(database), cache_(cache), clock_(clock), settings_(std::move(settings)) {}

    // Guards operations declared with behind_flag("flag") or behind_flag("flag.metadataKey"). Error:
    // featureFlagUnavailable, if the flag or its metadata member is off, or if the caller is signed in and outside the
    // rollout.
    bool concerns(const http::RequestContext& context, const http::Operation& operation) const override;
    awaitable<Result<void>> admit(http::RequestContext& context, const http::Operation& operation) override;
    // The same for "flag" or "flag.metadataKey" inside an operation; without a user, regardless of the rollout.
    awaitable<bool> allows(std::string name, std::optional<Uuid> user = {});
    // Throws std::logic_error if an operation names a flag that no database has (migrations/0006_feature_flags.sql).
    static void check_names(const std::vector<std::unique_ptr<http::Operation>>& operations);

    awaitable<ListSlice<FeatureFlagRecord>> list(ListQuery query) { return repository_.list(std::move(query)); }
    // Both throw Unavailable if the cache cannot be reached: it might still hold a copy that readers would trust later.
    awaitable<Result<FeatureFlagRecord>> update_status(Actor by, FeatureFlagId id, bool is_enabled,
                                                       std::int64_t rollout_percent, Cause cause);
    awaitable<Result<FeatureFlagRecord>> update_metadata(Actor by, FeatureFlagId id, boost::json::object metadata,
                                                         Cause cause);

private:
    struct State {
        bool is_enabled = false;
        std::int64_t rollout_percent = 0;
        boost::json::object metadata;
    };
    static std::string to_copy(const State& state);
    static std::optional<State> read_copy(const std::string& text);
    static bool says_yes(const std::optional<State>& state, std::string_view name);
    awaitable<std::optional<State>> find(std::string key);
    // Finds the flag and invalidates its copy before the change.
    awaitable<Result<FeatureFlagRecord>> begin_change(FeatureFlagId id);
    awaitable<Result<FeatureFlagRecord>> commit(PrivilegedTransaction change);
    std::string cache_key(const std::string& key) const { return settings_.cache_prefix + ":" + key; }

    storage::Database& database_;
    FeatureFlagRepository repository_;
    storage::Cache& cache_;
    const Clock& clock_;
    FeatureFlagSettings settings_;
};

}  // namespace consentry
