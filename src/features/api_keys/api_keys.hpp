// API keys that programs send in the header x-api-key, as key:secret. A key identifies the calling program, never a
// user.
//
// Only a digest of the secret is stored, and the row is read for every request: a key that is disabled, deleted or
// reset is rejected from then on by every instance. The cache only maps keys to ids, which never change. Unknown keys
// are not cached.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/time_zone.hpp"
#include "features/activity/audit.hpp"
#include "features/api_keys/repository.hpp"
#include "http/gate.hpp"
#include "storage/cache.hpp"

namespace consentry {

struct ApiKeySettings {
    std::string environment = "local";  // prefix of new keys, for human readers
    bool required = false;              // for operations that take keys of type default
    std::string cache_prefix = "ApiKey";
    milliseconds cache_ttl{300'000};  // of the mapping from keys to ids
    TimeZone time_zone;
};

struct NewApiKey {
    std::string name;
    ApiKeyType type = ApiKeyType::default_;
    std::optional<ApiKeyWindow> window;  // extended to whole days
};

// A new key, or a key with a new secret. This is the only time the secret is known.
struct IssuedApiKey {
    ApiKeyRecord record;
    std::string secret;
};

// What the operations below /system reveal to the holder of a key of type system.
inline constexpr std::array system_key_abilities{Ability{Subject::user, Action::read},
                                                 Ability{Subject::role, Action::read},
                                                 Ability{Subject::feature_flag, Action::read}};

class ApiKeys final : public http::Gate {
public:
    // The references must outlive this object.
    ApiKeys(storage::Database& database, storage::Cache& cache, const Clock& clock, ApiKeySettings settings)
        : database_(database), repository_(database), cache_(cache), clock_(clock), settings_(std::move(settings)) {}

    // A key that is sent must be valid, even if the operation does not require one.
    bool concerns(const http::RequestContext& context, const http::Operation& operation) const override;
    awaitable<Result<void>> admit(http::RequestContext& context, const http::Operation& operation) override;

    awaitable<ListSlice<ApiKeyRecord>> list(ListQuery query) { return repository_.list(std::move(query)); }
    // All changes but erase_by_key() are recorded in the log of the administrator who makes them; the operator on the
    // command line has no log. Error: policyForbidden, for creating, changing or resetting a key that permits its
    // holder more than the caller may see. A window that starts in the past or has ended is a validation error.
    awaitable<Result<IssuedApiKey>> create(Actor by, NewApiKey wanted, Cause cause);
    // Adds to `report` which ends of a window, if they are given, are over.
    void check_window(std::optional<TimePoint> start_at, std::optional<TimePoint> end_at, Report& report) const;
    // Errors: apiKeyNotFound; `inactive` if the key is disabled. Enables a key of an earlier epoch.
    awaitable<Result<IssuedApiKey>> reset(Actor by, ApiKeyId id, Cause cause);
    awaitable<Result<ApiKeyRecord>> rename(Actor by, ApiKeyId id, std::string name, Cause cause);
    // Of a key that has expired, also while it is disabled.
    awaitable<Result<ApiKeyRecord>> set_window(Actor by, ApiKeyId id, ApiKeyWindow window, Cause cause);
    // Errors: `expired` if the key's window has ended, else `inactive` if it is of an earlier epoch.
    awaitable<Result<ApiKeyRecord>> set_status(Actor by, ApiKeyId id, bool is_active, Cause cause);
    awaitable<Result<void>> erase(Actor by, ApiKeyId id, Cause cause);
    awaitable<Result<void>> erase_by_key(Actor by, std::string key);

private:
    bool is_needed(const http::Operation& operation) const;
    awaitable<std::optional<ApiKeyInUse>> find(std::string key);
    Result<ApiKeyWindow> whole_days(ApiKeyWindow window) const;
    // Returns the key if `by` may change it.
    awaitable<Result<ApiKeyRecord>> reachable(Actor by, ApiKeyId id);
    // What bars a change from a key that exists.
    using Bar = const ErrorKind& (*)(const ApiKeyRecord& key, TimePoint now);
    // Commits a change. If it matches no row, fails with apiKeyNotFound if the key does not exist, else with its bar.
    awaitable<Result<ApiKeyRecord>> changed(PrivilegedTransaction transaction, ApiKeyId id, Bar bar);
    // The same for its deletion.
    awaitable<Result<void>> erased(PrivilegedTransaction transaction);
    std::string cache_key(const std::string& key) const { return settings_.cache_prefix + ":" + key; }

    storage::Database& database_;
    ApiKeyRepository repository_;
    storage::Cache& cache_;
    const Clock& clock_;
    const ApiKeySettings settings_;
};

}  // namespace consentry
