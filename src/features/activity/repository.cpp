#include "features/activity/repository.hpp"

#include <stdexcept>

#include <boost/json/serialize.hpp>

#include "storage/portions.hpp"

namespace consentry {

std::optional<std::string> metadata_text(const boost::json::object& metadata) {
    if (metadata.empty()) return std::nullopt;
    std::string text = boost::json::serialize(metadata);
    if (text.size() > metadata_bytes_max)
        throw std::logic_error("activity log: metadata are ids and names, not records");
    return text;
}

void ActivityRepository::add_insert(storage::Transaction& transaction, const NewActivity& activity, TimePoint now) {
    // The statement adds one row or fails. An expectation would only make it slower on PostgreSQL.
    transaction.add(storage::Expect::any,
                    "INSERT INTO activity_log (id, user_id, action, ip_address, user_agent, metadata, created_at, "
                    "created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                    ActivityId::make(now), activity.user, name_of(activity.action), activity.ip_address,
                    activity.user_agent, metadata_text(activity.metadata), now, activity.actor.value_or(activity.user));
}

awaitable<ListSlice<ActivityEntry>> ActivityRepository::list(UserId user, ListQuery query) {
    return storage::select_list(database_,
                                {.columns = activity_columns.list(), .from = "activity_log WHERE user_id = $1"},
                                std::move(query), activity_columns.read, user);
}

awaitable<void> ActivityRepository::erase_older(TimePoint before) {
    return storage::execute_in_portions(
        database_,
        "DELETE FROM activity_log WHERE id IN (SELECT id FROM activity_log WHERE created_at < $1 "
        "ORDER BY created_at LIMIT $2)",
        before);
}

}  // namespace consentry
