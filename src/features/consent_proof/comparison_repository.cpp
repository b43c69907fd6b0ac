#include "features/consent_proof/comparison_repository.hpp"

#include <utility>

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
    column<"CAST(p.content_hashes AS TEXT)", &ComparedRow::policy_hashes>,
    column<"CAST(d.hash AS TEXT)", &ComparedRow::shown_page>, column<"s.tag", &ComparedRow::subject>);

constexpr auto entry_columns =
    columns<ComparedEntry>(column<"CAST(e.id AS TEXT)", &ComparedEntry::id>,
                           column<"e.position", &ComparedEntry::position>, column<"e.entry", &ComparedEntry::entry>,
                           column<"e.salt", &ComparedEntry::salt>, part<&ComparedEntry::row, row_columns>);

constexpr auto place_columns =
    columns<RowPlace>(column<"CAST(a.id AS TEXT)", &RowPlace::id>, column<"CAST(a.user_id AS TEXT)", &RowPlace::user>,
                      column<"a.type", &RowPlace::type>, column<"a.sequence", &RowPlace::sequence>,
                      column<"a.action", &RowPlace::action>, column<"a.version", &RowPlace::version>,
                      column<"a.accepted_at", &RowPlace::accepted_at>, column<"e.position", &RowPlace::position>);

constexpr auto fact_columns =
    columns<VersionFacts>(column<"CAST(p.id AS TEXT)", &VersionFacts::id>,
                          column<"CAST(p.content_hashes AS TEXT)", &VersionFacts::content_hashes>,
                          column<"CAST(p.grace_version AS TEXT)", &VersionFacts::grace_version>);

constexpr auto page_columns = columns<StoredPage>(
    column<"CAST(hash AS TEXT)", &StoredPage::hash>, column<"CAST(type AS TEXT)", &StoredPage::type>,
    column<"CAST(from_version AS TEXT)", &StoredPage::from_version>,
    column<"CAST(to_version AS TEXT)", &StoredPage::to_version>,
    column<"CAST(language AS TEXT)", &StoredPage::language>, column<"CAST(page AS TEXT)", &StoredPage::page>);

constexpr auto joined = storage::Text{
    " FROM log_entries e LEFT JOIN term_policy_acceptances a ON a.id = e.id "
    "LEFT JOIN term_policies p ON p.id = a.term_policy_id AND p.status = 'published' "
    "LEFT JOIN term_policy_diffs d ON d.hash = a.shown_diff_hash "
    "LEFT JOIN log_subjects s ON s.user_id = a.user_id WHERE e.log = 'consent' "};

const std::vector<TypedTable>& typed_tables() {
    using enum ValueType;
    static const std::vector<TypedTable> tables{
        {"term_policy_acceptances",
         "SELECT CAST(id AS TEXT), user_id, type, sequence, action, version, language, content_hashes, accepted_at, "
         "ip_address, user_agent, session_id, shown_diff_hash FROM term_policy_acceptances "
         "WHERE id > $1 ORDER BY id LIMIT $2",
         {{"user_id", uuid},
          {"type", text},
          {"sequence", integer},
          {"action", text},
          {"version", integer},
          {"language", text},
          {"content_hashes", text},
          {"accepted_at", integer},
          {"ip_address", text},
          {"user_agent", text},
          {"session_id", uuid},
          {"shown_diff_hash", text}}},
        {"log_entries",
         "SELECT CAST(id AS TEXT), position, entry, salt FROM log_entries WHERE id > $1 AND log = 'consent' "
         "ORDER BY id LIMIT $2",
         {{"position", integer}, {"entry", bytes}, {"salt", bytes}}},
        {"log_subjects",
         "SELECT CAST(user_id AS TEXT), tag FROM log_subjects WHERE user_id > $1 ORDER BY user_id LIMIT $2",
         {{"tag", bytes}}},
        {"term_policies",
         "SELECT CAST(id AS TEXT), type, version, status, content_hashes, published_at, material_reason, "
         "grace_in_days, grace_until, grace_version, processing FROM term_policies WHERE id > $1 ORDER BY id LIMIT $2",
         {{"type", text},
          {"version", integer},
          {"status", text},
          {"content_hashes", text},
          {"published_at", integer},
          {"material_reason", text},
          {"grace_in_days", integer},
          {"grace_until", integer},
          {"grace_version", integer},
          {"processing", text}}}};
    return tables;
}

}  // namespace

awaitable<std::vector<WrongValue>> ComparisonRepository::wrong_values() {
    co_return co_await find_wrong_values(database_, typed_tables());
}

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

awaitable<std::optional<ComparedEntry>> ComparisonRepository::find_entry(Uuid id) {
    const auto rows = co_await database_.query(sql<"SELECT ", entry_columns, joined, "AND e.id = $1">, id);
    co_return entry_columns.read_first(rows);
}

awaitable<std::optional<Uuid>> ComparisonRepository::end_of_portion(Uuid after) {
    const auto rows = co_await database_.query(
        "SELECT CAST(id AS TEXT) FROM term_policy_acceptances WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 499", after);
    co_return rows.empty() ? std::nullopt : Uuid::parse(rows[0].text(0));
}

awaitable<std::vector<std::string>> ComparisonRepository::unlogged(Uuid after, std::optional<Uuid> last) {
    constexpr storage::Text of_portion =
        "SELECT CAST(a.id AS TEXT) FROM term_policy_acceptances a WHERE a.id > $1 AND a.id <= $2 AND NOT EXISTS ("
        "SELECT 1 FROM log_entries e WHERE e.id = a.id AND e.id > $1 AND e.id <= $2 AND e.log = 'consent') "
        "ORDER BY a.id";
    constexpr storage::Text of_rest =
        "SELECT CAST(a.id AS TEXT) FROM term_policy_acceptances a WHERE a.id > $1 AND NOT EXISTS ("
        "SELECT 1 FROM log_entries e WHERE e.id = a.id AND e.id > $1 AND e.log = 'consent') ORDER BY a.id";
    const auto rows =
        last ? co_await database_.query(sql<of_portion>, after, *last) : co_await database_.query(sql<of_rest>, after);
    std::vector<std::string> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].text(0));
    co_return out;
}

awaitable<std::map<std::string, VersionFacts>> ComparisonRepository::version_facts() {
    const auto rows =
        co_await database_.query(sql<"SELECT ", fact_columns, " FROM term_policies p WHERE p.status = 'published'">);
    std::map<std::string, VersionFacts> out;
    for (VersionFacts& facts : fact_columns.read_all(rows)) out.emplace(facts.id, std::move(facts));
    co_return out;
}

awaitable<std::vector<StoredPage>> ComparisonRepository::pages(std::string after, std::int64_t count) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", page_columns, " FROM term_policy_diffs WHERE hash > $1 ORDER BY hash LIMIT $2">, after, count);
    co_return page_columns.read_all(rows);
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
