// The SQL of the activity log.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "features/activity/actions.hpp"
#include "features/users/user.hpp"
#include "storage/columns.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;
using ActivityId = Id<struct ActivityTag>;

struct NewActivity {
    UserId user;
    ActivityAction action = ActivityAction::user_login_credential;
    std::optional<UserId> actor = {};  // set if it is not the account itself
    std::optional<std::string> ip_address = {};
    std::optional<std::string> user_agent = {};
    boost::json::object metadata = {};  // ids and names of the objects concerned; never a secret
};

struct ActivityEntry {
    ActivityId id;
    UserId user;
    // As stored: a newer version of the program may have written an action that this one does not know.
    std::string action;
    std::optional<std::string> ip_address;
    std::optional<std::string> user_agent;
    std::optional<std::string> metadata;
    TimePoint created_at;
    UserId created_by;
};
inline constexpr auto activity_columns = storage::columns<ActivityEntry>(
    storage::column<"id", &ActivityEntry::id>, storage::column<"user_id", &ActivityEntry::user>,
    storage::column<"action", &ActivityEntry::action>, storage::column<"ip_address", &ActivityEntry::ip_address>,
    storage::column<"user_agent", &ActivityEntry::user_agent>, storage::column<"metadata", &ActivityEntry::metadata>,
    storage::column<"created_at", &ActivityEntry::created_at>,
    storage::column<"created_by", &ActivityEntry::created_by>);

inline constexpr std::size_t metadata_bytes_max = 2'048;
// As stored: JSON, or NULL if there are none. Throws std::logic_error if they are larger.
std::optional<std::string> metadata_text(const boost::json::object& metadata);

class ActivityRepository {
public:
    explicit ActivityRepository(storage::Database& database) : database_(database) {}

    // Adds the entry to the transaction of the change it records. Throws std::logic_error if the metadata are too
    // large.
    static void add_insert(storage::Transaction& transaction, const NewActivity& activity, TimePoint now);
    awaitable<ListSlice<ActivityEntry>> list(UserId user, ListQuery query);
    awaitable<void> erase_older(TimePoint before);

private:
    storage::Database& database_;
};

}  // namespace consentry
