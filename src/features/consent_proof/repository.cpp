#include "features/consent_proof/repository.hpp"

#include "storage/columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::part;
using storage::sql;

constexpr auto addendum_columns = columns<Addendum>(
    column<"a.id", &Addendum::acceptance>, column<"a.user_id", &Addendum::user>,
    column<"a.session_id", &Addendum::session>, column<"a.ip_address", &Addendum::ip_address>,
    column<"a.user_agent", &Addendum::user_agent>, column<"a.shown_diff_hash", &Addendum::shown_diff_hash>);

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

awaitable<std::vector<ProvableEntry>> ProofRepository::list_of(UserId user, std::int64_t from, std::int64_t to,
                                                               std::int64_t count) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", provable_columns,
            " FROM term_policy_acceptances a JOIN log_entries e ON e.id = a.id "
            "WHERE a.user_id = $1 AND e.log = 'consent' AND e.position >= $2 AND e.position < $3 "
            "ORDER BY e.position LIMIT $4">,
        user, from, to, count);
    co_return provable_columns.read_all(rows);
}

}  // namespace consentry
