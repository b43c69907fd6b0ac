// Keys that programs show in the header x-api-key, as key:secret. They say which program is asking, never which user.
//
// Only a digest of the secret is kept, and the row is read at each request: what is switched off, deleted or given
// another secret is refused from then on by every instance. The cache keeps nothing but which id a key has, which never
// changes; keys that do not exist leave nothing in it.
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
    std::string environment = "local";  // the beginning of new keys, for people
    bool required = false;              // of operations that are for keys of type default
    std::string cache_prefix = "ApiKey";
    milliseconds cache_ttl{300'000};  // of which id a key belongs to
    TimeZone time_zone;
};

struct NewApiKey {
    std::string name;
    ApiKeyType type = ApiKeyType::default_;
    std::optional<ApiKeyWindow> window;  // widened to whole days
};

// The one moment at which the secret is known.
struct IssuedApiKey {
    ApiKeyRecord record;
    std::string secret;
};

// What a key of type system shows to whoever holds it: the operations below /system.
inline constexpr std::array system_key_abilities{Ability{Subject::user, Action::read},
                                                 Ability{Subject::role, Action::read},
                                                 Ability{Subject::feature_flag, Action::read}};

class ApiKeys final : public http::Gate {
public:
    // All outlive this.
    ApiKeys(storage::Database& database, storage::Cache& cache, const Clock& clock, ApiKeySettings settings)
        : database_(database), repository_(database), cache_(cache), clock_(clock), settings_(std::move(settings)) {}

    // A key that is sent must be a good one, also where none is needed.
    bool concerns(const http::RequestContext& context, const http::Operation& operation) const override;
    awaitable<Result<void>> admit(http::RequestContext& context, const http::Operation& operation) override;

    awaitable<ListSlice<ApiKeyRecord>> list(ListQuery query) { return repository_.list(std::move(query)); }
    // All changes stand in the log of the administrator who made them; the operator, at the machine, has none. Nobody
    // makes, changes or resets a key that opens more to its holder than they may see: policyForbidden.
    // validation where the window is to begin in the past, or is over.
    awaitable<Result<IssuedApiKey>> create(Actor by, NewApiKey wanted, Cause cause);
    // apiKeyNotFound; `inactive` for a key that is switched off.
    awaitable<Result<IssuedApiKey>> reset(Actor by, ApiKeyId id, Cause cause);
    awaitable<Result<ApiKeyRecord>> rename(Actor by, ApiKeyId id, std::string name, Cause cause);
    awaitable<Result<ApiKeyRecord>> set_window(Actor by, ApiKeyId id, ApiKeyWindow window, Cause cause);
    // `expired` for a key whose window is over.
    awaitable<Result<ApiKeyRecord>> set_status(Actor by, ApiKeyId id, bool is_active, Cause cause);
    awaitable<Result<void>> erase(Actor by, ApiKeyId id, Cause cause);
    awaitable<Result<void>> erase_by_key(Actor by, std::string key);

private:
    bool is_needed(const http::Operation& operation) const;
    awaitable<std::optional<ApiKeyInUse>> find(std::string key);
    Result<ApiKeyWindow> whole_days(ApiKeyWindow window) const;
    // The key, where `by` may change it.
    awaitable<Result<ApiKeyRecord>> reachable(Actor by, ApiKeyId id);
    // Commits a change. Where it finds no row in the state it needs: there is no such key, or `otherwise`.
    awaitable<Result<ApiKeyRecord>> changed(PrivilegedTransaction transaction, ApiKeyId id, const ErrorKind& otherwise);
    std::string cache_key(const std::string& key) const { return settings_.cache_prefix + ":" + key; }

    storage::Database& database_;
    ApiKeyRepository repository_;
    storage::Cache& cache_;
    const Clock& clock_;
    const ApiKeySettings settings_;
};

}  // namespace consentry
