// Functions that can be switched off while the service runs, and rolled out to a part of the users.
//
// The database decides; the cache holds copies, so that a login asks the database nothing more. A change first puts a
// mark in the copy's place that says "ask the database", for as long as a copy would live: readers fill only an empty
// place, so nobody, however slow, puts the old state back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/feature_flags/repository.hpp"
#include "http/gate.hpp"
#include "storage/cache.hpp"

namespace consentry {

struct FeatureFlagSettings {
    std::string cache_prefix = "FeatureFlag";
    milliseconds cache_ttl = std::chrono::hours{1};  // zero: no copies
};

class FeatureFlags final : public http::Gate {
public:
    // All outlive this.
    FeatureFlags(storage::Database& database, storage::Cache& cache, const Clock& clock, FeatureFlagSettings settings)
        : database_(database), repository_(database), cache_(cache), clock_(clock), settings_(std::move(settings)) {}

    // Operations declared with behind_flag("flag") or behind_flag("flag.metadataKey"). featureFlagUnavailable where the
    // flag or its metadata say no, or the caller is known and not among the part of users that it is rolled out to.
    bool concerns(const http::RequestContext& context, const http::Operation& operation) const override;
    awaitable<Result<void>> admit(http::RequestContext& context, const http::Operation& operation) override;
    // The same question within an operation: "flag" or "flag.metadataKey".
    awaitable<bool> allows(std::string name);
    // Throws std::logic_error for an operation behind a flag that no database has (migrations/0006_feature_flags.sql).
    static void check_names(const std::vector<std::unique_ptr<http::Operation>>& operations);

    awaitable<ListSlice<FeatureFlagRecord>> list(ListQuery query) { return repository_.list(std::move(query)); }
    // Throw Unavailable where the cache is away: a copy in it would be believed when it is back.
    awaitable<Result<FeatureFlagRecord>> update_status(Actor by, FeatureFlagId id, bool is_enabled,
                                                       std::int64_t rollout_percent);
    awaitable<Result<FeatureFlagRecord>> update_metadata(Actor by, FeatureFlagId id, boost::json::object metadata);

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
    // Finds the flag, and makes its copy worth nothing before it is changed.
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
