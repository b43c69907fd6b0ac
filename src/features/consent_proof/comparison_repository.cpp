#include "features/consent_proof/comparison_repository.hpp"

#include "storage/columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::part;
using storage::sql;

constexpr auto row_columns = columns<ComparedRow>(
    column<"CAST(a.user_id AS TEXT)", &ComparedRow::user>, column<"CAST(a.type AS TEXT)", &ComparedRow::type>,
    column<"CAST(a.sequence AS TEXT)", &ComparedRow::sequence>, column<"CAST(a.action AS TEXT)", &ComparedRow::action>,
    column<"CAST(a.version AS TEXT)", &ComparedRow::version>,
    column<"CAST(a.language AS TEXT)", &ComparedRow::language>,
    column<"CAST(a.content_hashes AS TEXT)", &ComparedRow::content_hashes>,
    column<"CAST(a.accepted_at AS TEXT)", &ComparedRow::accepted_at>,
    column<"CAST(a.ip_address AS TEXT)", &ComparedRow::ip_address>,
    column<"CAST(a.user_agent AS TEXT)", &ComparedRow::user_agent>,
    column<"CAST(a.session_id AS TEXT)", &ComparedRow::session>,
    column<"CAST(a.shown_diff_hash AS TEXT)", &ComparedRow::shown_diff_hash>,
    column<"CAST(p.type AS TEXT)", &ComparedRow::policy_type>,
    column<"CAST(p.version AS TEXT)", &ComparedRow::policy_version>,
    column<"CAST(p.content_hashes AS TEXT)", &ComparedRow::policy_hashes>, column<"s.tag", &ComparedRow::subject>);

constexpr auto entry_columns =
    columns<ComparedEntry>(column<"CAST(e.id AS TEXT)", &ComparedEntry::id>,
                           column<"e.position", &ComparedEntry::position>, column<"e.entry", &ComparedEntry::entry>,
                           column<"e.salt", &ComparedEntry::salt>, part<&ComparedEntry::row, row_columns>);

constexpr auto place_columns =
    columns<RowPlace>(column<"CAST(a.id AS TEXT)", &RowPlace::id>, column<"CAST(a.user_id AS TEXT)", &RowPlace::user>,
                      column<"a.type", &RowPlace::type>, column<"a.sequence", &RowPlace::sequence>,
                      column<"a.action", &RowPlace::action>, column<"a.version", &RowPlace::version>,
                      column<"a.accepted_at", &RowPlace::accepted_at>, column<"e.position", &RowPlace::position>);

constexpr auto joined = storage::Text{
    " FROM log_entries e LEFT JOIN term_policy_acceptances a ON a.id = e.id "
    "LEFT JOIN term_policies p ON p.id = a.term_policy_id AND p.status = 'published' "
    "LEFT JOIN log_subjects s ON s.user_id = a.user_id WHERE e.log = 'consent' "};

}  // namespace

awaitable<std::vector<ComparedEntry>> ComparisonRepository::entries(std::int64_t after, std::int64_t count) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", entry_columns, joined, "AND e.position > $1 ORDER BY e.position LIMIT $2">, after, count);
    co_return entry_columns.read_all(rows);
}

awaitable<std::vector<ComparedEntry>> ComparisonRepository::pending(Uuid after, std::int64_t count) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", entry_columns, joined, "AND e.position IS NULL AND e.id > $1 ORDER BY e.id LIMIT $2">, after,
        count);
    co_return entry_columns.read_all(rows);
}

awaitable<std::vector<std::string>> ComparisonRepository::unlogged(Uuid after, std::int64_t count) {
    const auto rows = co_await database_.query(
        "SELECT CAST(a.id AS TEXT) FROM term_policy_acceptances a WHERE a.id > $1 AND NOT EXISTS (SELECT 1 "
        "FROM log_entries e WHERE e.id = a.id AND e.log = 'consent') ORDER BY a.id LIMIT $2",
        after, count);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].text(0));
    co_return out;
}

awaitable<std::map<std::string, std::string>> ComparisonRepository::version_hashes() {
    const auto rows = co_await database_.query(
        "SELECT CAST(p.id AS TEXT), COALESCE(CAST(p.content_hashes AS TEXT), '') FROM term_policies p "
        "WHERE p.status = 'published'");
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.emplace(rows[i].text(0), rows[i].text(1));
    co_return out;
}

awaitable<std::vector<RowPlace>> ComparisonRepository::places(const RowPlace& after, std::int64_t count) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", place_columns,
            " FROM term_policy_acceptances a LEFT JOIN log_entries e ON e.id = a.id AND e.log = 'consent' "
            "WHERE (a.user_id, a.type, a.sequence) > ($1, $2, $3) ORDER BY a.user_id, a.type, a.sequence LIMIT $4">,
        Uuid::parse(after.user).value_or(Uuid{}), after.type, after.sequence, count);
    co_return place_columns.read_all(rows);
}

}  // namespace consentry
