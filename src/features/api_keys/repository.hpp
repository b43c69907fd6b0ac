// The SQL of API keys.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/enum_names.hpp"
#include "crypto/digest.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;
using ApiKeyId = Id<struct ApiKeyTag>;

// Which operations a key permits: those for systems, or all others.
enum class ApiKeyType { default_, system };

template <>
struct EnumNames<ApiKeyType> {
    static constexpr std::array names{std::pair{ApiKeyType::default_, std::string_view{"default"}},
                                      std::pair{ApiKeyType::system, std::string_view{"system"}}};
};

// Both bounds are inclusive.
struct ApiKeyWindow {
    std::optional<TimePoint> start_at;  // none: no lower bound
    TimePoint end_at;
};

struct ApiKeyRecord {
    ApiKeyId id;
    std::string key;
    std::string name;
    ApiKeyType type = ApiKeyType::default_;
    bool is_active = true;
    std::optional<ApiKeyWindow> window;  // none: always valid
    TimePoint created_at;
    std::optional<UserId> created_by;  // none: the operator, on the command line
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    bool is_over_at(TimePoint now) const { return window && window->end_at < now; }
    bool is_good_at(TimePoint now) const {
        return is_active && (!window || ((!window->start_at || *window->start_at <= now) && now <= window->end_at));
    }
};

// A key with what is needed to check it.
struct ApiKeyInUse {
    ApiKeyRecord record;
    Bytes digest;
};

class ApiKeyRepository {
public:
    explicit ApiKeyRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<ApiKeyInUse>> find(ApiKeyId id);
    awaitable<std::optional<ApiKeyInUse>> find_by_key(std::string key);
    awaitable<ListSlice<ApiKeyRecord>> list(ListQuery query);

    static void add_insert(PrivilegedTransaction& transaction, const ApiKeyRecord& record, crypto::Sha256 digest);
    // Each takes Expect::one: the key exists and fulfils the condition.
    // Enabled or of an earlier epoch, whatever its row says then: it is enabled and of the current epoch from now on.
    static void add_digest(PrivilegedTransaction& transaction, ApiKeyId id, crypto::Sha256 digest,
                           std::optional<UserId> by, TimePoint now);
    // Enabled and of the current epoch.
    static void add_name(PrivilegedTransaction& transaction, ApiKeyId id, const std::string& name,
                         std::optional<UserId> by, TimePoint now);
    // Of the current epoch, and enabled unless it has expired: whatever is both off and expired could otherwise not be
    // switched on again.
    static void add_window(PrivilegedTransaction& transaction, ApiKeyId id, ApiKeyWindow window,
                           std::optional<UserId> by, TimePoint now);
    // Its window has not ended, and it is of the current epoch.
    static void add_status(PrivilegedTransaction& transaction, ApiKeyId id, bool is_active, std::optional<UserId> by,
                           TimePoint now);
    // Any. So only one of several concurrent callers succeeds.
    static void add_erase(PrivilegedTransaction& transaction, ApiKeyId id);
    static void add_erase(PrivilegedTransaction& transaction, const std::string& key);
    // Returns the key after a change whose first statement was one of the above.
    static ApiKeyRecord changed(const storage::Outcome& outcome);

private:
    storage::Database& database_;
};

}  // namespace consentry
