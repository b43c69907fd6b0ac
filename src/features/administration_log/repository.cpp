#include "features/administration_log/repository.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::sql;

constexpr auto account_columns = columns<TaggedAccount>(
    column<"u.id", &TaggedAccount::id>, column<"s.tag", &TaggedAccount::tag>, column<"u.email", &TaggedAccount::email>);
constexpr std::string_view tagged =
    sql<"SELECT ", account_columns, " FROM log_subjects s JOIN users u ON u.id = s.user_id">;

const std::vector<TypedTable>& typed_tables() {
    using enum ValueType;
    static const std::vector<TypedTable> tables{
        {"log_entries",
         "SELECT CAST(id AS TEXT), position, entry, salt FROM log_entries WHERE id > $1 AND log = 'administration' "
         "ORDER BY id LIMIT $2",
         {{"position", integer}, {"entry", bytes}, {"salt", bytes}}},
        {"administration_acts",
         "SELECT CAST(id AS TEXT), code, actor_id, subject_id, ip_address, user_agent, metadata, acted_at "
         "FROM administration_acts WHERE id > $1 ORDER BY id LIMIT $2",
         {{"code", integer},
          {"actor_id", uuid},
          {"subject_id", uuid},
          {"ip_address", text},
          {"user_agent", text},
          {"metadata", text},
          {"acted_at", integer}}},
        {"log_subjects",
         "SELECT CAST(user_id AS TEXT), tag FROM log_subjects WHERE user_id > $1 ORDER BY user_id LIMIT $2",
         {{"tag", bytes}}}};
    return tables;
}

}  // namespace

void AdministrationLogRepository::add_entry(storage::Transaction& transaction, ActId act, const Bytes& entry,
                                            const AddendumSalt& salt) {
    transaction.add(storage::Expect::any,
                    "INSERT INTO log_entries (id, log, entry, salt) VALUES ($1, 'administration', $2, $3) "
                    "ON CONFLICT (id) DO NOTHING",
                    act, entry, BytesView(salt));
}

awaitable<std::vector<TaggedAccount>> AdministrationLogRepository::accounts(const std::vector<UserId>& users) {
    static const std::string text =
        std::string(tagged) + " WHERE s.user_id IN (" + storage::parameters(1, ActRepository::at_once) + ")";
    std::vector<TaggedAccount> out;
    for (std::size_t first = 0; first < users.size(); first += ActRepository::at_once) {
        const auto rows = co_await database_.query_with(text, ActRepository::padded(users, first));
        std::ranges::move(account_columns.read_all(rows), std::back_inserter(out));
    }
    co_return out;
}

awaitable<std::vector<TaggedAccount>> AdministrationLogRepository::accounts(const std::vector<Bytes>& tags) {
    static const std::string text =
        std::string(tagged) + " WHERE s.tag IN (" + storage::parameters(1, ActRepository::at_once) + ")";
    std::vector<TaggedAccount> out;
    for (std::size_t first = 0; first < tags.size(); first += ActRepository::at_once) {
        const auto rows = co_await database_.query_with(text, ActRepository::padded(tags, first));
        std::ranges::move(account_columns.read_all(rows), std::back_inserter(out));
    }
    co_return out;
}

// Not those at positions that the log has not given out: it never publishes them. COALESCE keeps PostgreSQL from
// looking for all positions in their index instead of the ids.
awaitable<std::vector<Bytes>> AdministrationLogRepository::erasures(Uuid after, Uuid last) {
    const auto rows = co_await database_.query(
        "SELECT e.entry FROM log_entries e WHERE e.log = 'consent' AND e.id > $1 AND e.id <= $2 "
        "AND length(e.entry) = $3 AND (e.position IS NULL OR (COALESCE(e.position, -1) >= 0 "
        "AND COALESCE(e.position, -1) < (SELECT l.size FROM logs l WHERE l.name = 'consent')))",
        after, last, static_cast<std::int64_t>(erasure_entry_bytes));
    std::vector<Bytes> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].bytes(0));
    co_return out;
}

awaitable<Uuid> AdministrationLogRepository::end_of_portion(Uuid after) {
    return storage::end_of_portion(database_, "SELECT id FROM log_entries WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 999",
                                   after);
}

awaitable<std::vector<WrongValue>> AdministrationLogRepository::wrong_values() {
    co_return co_await find_wrong_values(database_, typed_tables());
}

}  // namespace consentry
