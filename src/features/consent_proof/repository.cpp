#include "features/consent_proof/repository.hpp"

#include "features/consent_log/addendum_columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::part;
using storage::sql;

constexpr auto provable_columns =
    columns<ProvableEntry>(column<"e.position", &ProvableEntry::position>, column<"e.entry", &ProvableEntry::entry>,
                           column<"e.salt", &ProvableEntry::salt>, part<&ProvableEntry::addendum, addendum_columns>);

}  // namespace

awaitable<std::vector<ProvableEntry>> ProofRepository::list(std::int64_t from, std::int64_t to) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", provable_columns,
            " FROM log_entries e LEFT JOIN term_policy_acceptances a ON a.id = e.id "
            "WHERE e.log = 'consent' AND e.position >= $1 AND e.position < $2 ORDER BY e.position">,
        from, to);
    co_return provable_columns.read_all(rows);
}

awaitable<std::vector<ProofRepository::PendingEntry>> ProofRepository::list_pending(Uuid after, std::int64_t count) {
    const auto rows = co_await database_.query(
        "SELECT id, entry FROM log_entries WHERE log = 'consent' AND position IS NULL AND id > $1 ORDER BY id LIMIT $2",
        after, count);
    std::vector<PendingEntry> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back({.id = rows[i].uuid(0), .entry = rows[i].bytes(1)});
    co_return out;
}

awaitable<std::optional<std::string>> ProofRepository::find_page(std::string hash) {
    const auto rows = co_await database_.query("SELECT page FROM term_policy_diffs WHERE hash = $1", hash);
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].text(0);
}

awaitable<bool> ProofRepository::has_account(UserId user) {
    const auto rows = co_await database_.query("SELECT 1 FROM users WHERE id = $1 AND erased_at IS NULL", user);
    co_return !rows.empty();
}

}  // namespace consentry
