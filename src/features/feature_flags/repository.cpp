#include "features/feature_flags/repository.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace consentry {
namespace {

#define CONSENTRY_FLAG_COLUMNS \
    "id, key, description, is_enabled, rollout_percent, metadata, created_at, updated_at, updated_by"

FeatureFlagRecord to_flag(const storage::Row& row) {
    FeatureFlagRecord out;
    out.id = row.id<FeatureFlagId>(0);
    out.key = row.text(1);
    out.description = row.text(2);
    out.is_enabled = row.boolean(3);
    out.rollout_percent = row.integer(4);
    if (!row.is_null(5)) out.metadata = boost::json::parse(row.text(5)).as_object();
    out.created_at = row.time(6);
    out.updated_at = row.time(7);
    out.updated_by = row.id_or_null<UserId>(8);
    return out;
}

std::optional<FeatureFlagRecord> first_of(const storage::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return to_flag(rows[0]);
}

}  // namespace

awaitable<std::optional<FeatureFlagRecord>> FeatureFlagRepository::find(FeatureFlagId id) {
    co_return first_of(
        co_await database_.look_up("SELECT " CONSENTRY_FLAG_COLUMNS " FROM feature_flags WHERE id = $1", id));
}

awaitable<std::optional<FeatureFlagRecord>> FeatureFlagRepository::find_by_key(std::string key) {
    co_return first_of(
        co_await database_.query("SELECT " CONSENTRY_FLAG_COLUMNS " FROM feature_flags WHERE key = $1", key));
}

awaitable<ListSlice<FeatureFlagRecord>> FeatureFlagRepository::list(ListQuery query) {
    return storage::select_list(database_, {.columns = CONSENTRY_FLAG_COLUMNS, .from = "feature_flags WHERE TRUE"},
                                std::move(query), to_flag);
}

void FeatureFlagRepository::add_status(PrivilegedTransaction& transaction, FeatureFlagId id, bool is_enabled,
                                       std::int64_t rollout_percent, std::optional<UserId> by, TimePoint now) {
    transaction.add(storage::Expect::one,
                    "UPDATE feature_flags SET is_enabled = $2, rollout_percent = $3, updated_at = $4, updated_by = $5 "
                    "WHERE id = $1 RETURNING " CONSENTRY_FLAG_COLUMNS,
                    id, is_enabled, rollout_percent, now, by);
}

void FeatureFlagRepository::add_metadata(PrivilegedTransaction& transaction, FeatureFlagId id,
                                         const boost::json::object& metadata, std::optional<UserId> by, TimePoint now) {
    const std::optional<std::string> text =
        metadata.empty() ? std::nullopt : std::optional(boost::json::serialize(metadata));
    transaction.add(storage::Expect::one,
                    "UPDATE feature_flags SET metadata = $2, updated_at = $3, updated_by = $4 WHERE id = $1 "
                    "RETURNING " CONSENTRY_FLAG_COLUMNS,
                    id, text, now, by);
}

FeatureFlagRecord FeatureFlagRepository::changed(const storage::Outcome& outcome) {
    return to_flag(outcome.results.front()[0]);
}

}  // namespace consentry
