#include "features/feature_flags/repository.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "storage/columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::sql;

boost::json::object read_metadata(const std::optional<std::string>& text) {
    return text ? boost::json::parse(*text).as_object() : boost::json::object{};
}

constexpr auto flag_columns = columns<FeatureFlagRecord>(
    column<"id", &FeatureFlagRecord::id>, column<"key", &FeatureFlagRecord::key>,
    column<"description", &FeatureFlagRecord::description>, column<"is_enabled", &FeatureFlagRecord::is_enabled>,
    column<"rollout_percent", &FeatureFlagRecord::rollout_percent>,
    column<"metadata", &FeatureFlagRecord::metadata, read_metadata>,
    column<"created_at", &FeatureFlagRecord::created_at>, column<"updated_at", &FeatureFlagRecord::updated_at>,
    column<"updated_by", &FeatureFlagRecord::updated_by>);

}  // namespace

awaitable<std::optional<FeatureFlagRecord>> FeatureFlagRepository::find(FeatureFlagId id) {
    const auto rows = co_await database_.look_up(sql<"SELECT ", flag_columns, " FROM feature_flags WHERE id = $1">, id);
    co_return flag_columns.read_first(rows);
}

awaitable<std::optional<FeatureFlagRecord>> FeatureFlagRepository::find_by_key(std::string key) {
    const auto rows = co_await database_.query(sql<"SELECT ", flag_columns, " FROM feature_flags WHERE key = $1">, key);
    co_return flag_columns.read_first(rows);
}

awaitable<ListSlice<FeatureFlagRecord>> FeatureFlagRepository::list(ListQuery query) {
    return storage::select_list(database_, {.columns = flag_columns.list(), .from = "feature_flags WHERE TRUE"},
                                std::move(query), flag_columns.read);
}

void FeatureFlagRepository::add_status(PrivilegedTransaction& transaction, FeatureFlagId id, bool is_enabled,
                                       std::int64_t rollout_percent, std::optional<UserId> by, TimePoint now) {
    transaction.add(storage::Expect::one,
                    sql<"UPDATE feature_flags SET is_enabled = $2, rollout_percent = $3, updated_at = $4, "
                        "updated_by = $5 WHERE id = $1 RETURNING ",
                        flag_columns>,
                    id, is_enabled, rollout_percent, now, by);
}

void FeatureFlagRepository::add_metadata(PrivilegedTransaction& transaction, FeatureFlagId id,
                                         const boost::json::object& metadata, std::optional<UserId> by, TimePoint now) {
    const std::optional<std::string> text =
        metadata.empty() ? std::nullopt : std::optional(boost::json::serialize(metadata));
    transaction.add(storage::Expect::one,
                    sql<"UPDATE feature_flags SET metadata = $2, updated_at = $3, updated_by = $4 WHERE id = $1 "
                        "RETURNING ",
                        flag_columns>,
                    id, text, now, by);
}

FeatureFlagRecord FeatureFlagRepository::changed(const storage::Outcome& outcome) {
    return flag_columns.read(outcome.results.front()[0]);
}

}  // namespace consentry
