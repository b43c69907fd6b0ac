#include "features/acceptances/repository.hpp"

#include <algorithm>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "features/consent_log/addendum_columns.hpp"
#include "features/term_policies/stored_content.hpp"
#include "features/users/columns.hpp"
#include "features/users/stored.hpp"
#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::part;
using storage::sql;

// The accepted version of one type, whose name takes the place of {0}. A single entry near the end of an index.
constexpr storage::Text accepted_sql =
    "(SELECT CASE WHEN a.action = 'accepted' THEN a.version END FROM term_policy_acceptances a "
    "WHERE a.user_id = u.id AND a.type = '{0}' ORDER BY a.sequence DESC LIMIT 1)";

// The columns of one type. Each is a single entry near the end of an index.
constexpr auto columns_of_type = columns<Standing>(
    column<"(SELECT MAX(p.version) FROM term_policies p WHERE p.type = '{0}' AND p.status = 'published')",
           &Standing::latest>,
    column<"(SELECT MAX(p.version) FROM term_policies p WHERE p.type = '{0}' AND p.status = 'published' "
           "AND p.is_material = TRUE)",
           &Standing::required>,
    column<accepted_sql, &Standing::accepted>);

// A row per type, in any order.
std::string required_versions_sql() {
    std::string out;
    for (const auto& [type, name] : EnumNames<PolicyType>::names)
        out += fmt::format(
            "{1}SELECT * FROM (SELECT p.type, p.version, p.grace_until, p.grace_version, (SELECT MAX(n.version) "
            "FROM term_policies n WHERE n.type = '{0}' AND n.status = 'published') AS latest FROM term_policies p "
            "WHERE p.type = '{0}' AND p.status = 'published' AND p.is_material = TRUE "
            "ORDER BY p.version DESC LIMIT 1) AS {0}_required",
            name, out.empty() ? "" : " UNION ALL ");
    return out;
}

struct RequiredOfType {
    PolicyType type = PolicyType::terms_of_service;
    RequiredVersion required;
};
constexpr auto required_columns = columns<RequiredVersion>(
    column<"version", &RequiredVersion::version>, column<"grace_until", &RequiredVersion::grace_until>,
    column<"grace_version", &RequiredVersion::grace_version>, column<"latest", &RequiredVersion::latest>);
constexpr auto required_of_type_columns =
    columns<RequiredOfType>(column<"type", &RequiredOfType::type>, part<&RequiredOfType::required, required_columns>);

std::string standings_of_users() {
    return "SELECT u.id, " + AcceptanceRepository::standing_columns() + " FROM users u WHERE u.id ";
}
std::string standings_sql() { return standings_of_users() + "= $1"; }

// One SQL text for any number of users: unused parameters repeat the last one.
constexpr std::size_t users_at_once = 20;
std::string standings_of_many_sql() {
    return standings_of_users() + "IN (" + storage::parameters(1, users_at_once) + ")";
}

constexpr auto acceptance_columns = columns<Acceptance>(
    column<"id", &Acceptance::id>, column<"user_id", &Acceptance::user>, column<"action", &Acceptance::action>,
    column<"term_policy_id", &Acceptance::policy>, column<"language", &Acceptance::language>,
    column<"content_hashes", &Acceptance::hashes, read_hashes>, column<"accepted_at", &Acceptance::at>,
    column<"(SELECT CASE WHEN e.position < l.published THEN 'published' ELSE 'pending' END FROM log_entries e "
           "JOIN logs l ON l.name = e.log WHERE e.id = term_policy_acceptances.id)",
           &Acceptance::log_state>);

constexpr auto record_columns = columns<RecordFacts>(
    part<&RecordFacts::acceptance, acceptance_columns>, column<"type", &RecordFacts::type>,
    column<"EXISTS (SELECT 1 FROM term_policy_acceptances f WHERE f.user_id = term_policy_acceptances.user_id "
           "AND f.type = term_policy_acceptances.type AND f.action = 'accepted' "
           "AND f.sequence < term_policy_acceptances.sequence)",
           &RecordFacts::is_renewed>,
    column<"NOT EXISTS (SELECT 1 FROM term_policy_acceptances l WHERE l.user_id = term_policy_acceptances.user_id "
           "AND l.type = term_policy_acceptances.type AND l.sequence > term_policy_acceptances.sequence)",
           &RecordFacts::is_newest>,
    column<"shown_diff_hash", &RecordFacts::shown_diff_hash>);

constexpr auto stored_columns = columns<StoredConsent>(
    part<&StoredConsent::addendum, addendum_columns>, column<"a.action", &StoredConsent::action>,
    column<"a.type", &StoredConsent::type>, column<"a.version", &StoredConsent::version>,
    column<"a.language", &StoredConsent::language>, column<"a.content_hashes", &StoredConsent::hashes, read_hashes>,
    column<"a.accepted_at", &StoredConsent::at>);

// The newest row per type is a single entry at the end of an index, however long the history of the account is.
std::string standing_sql() {
    std::string newest;
    for (const auto& [type, name] : EnumNames<PolicyType>::names)
        newest += fmt::format(
            "{}(SELECT n.id FROM term_policy_acceptances n WHERE n.user_id = $1 AND n.type = '{}' "
            "ORDER BY n.sequence DESC LIMIT 1)",
            newest.empty() ? "" : ", ", name);
    return fmt::format("SELECT {} FROM term_policy_acceptances a WHERE a.id IN ({}) AND a.action = 'accepted'",
                       stored_columns.list(), newest);
}

constexpr auto latest_columns = columns<LatestPolicy>(
    column<"p.id", &LatestPolicy::id>, column<"p.type", &LatestPolicy::type>,
    column<"p.version", &LatestPolicy::version>, column<"p.content_hashes", &LatestPolicy::hashes, read_hashes>);

struct PublishedContent {
    TermPolicy policy;
    PolicyContent content;
};
// A published document without a time is damaged: NULL throws.
std::optional<TimePoint> there(TimePoint time) { return time; }
constexpr auto published_columns = columns<TermPolicy>(
    column<"p.id", &TermPolicy::id>, column<"p.type", &TermPolicy::type>, column<"p.version", &TermPolicy::version>,
    column<"p.revision", &TermPolicy::revision>, column<"p.published_at", &TermPolicy::published_at, there>,
    column<"p.is_material", &TermPolicy::is_material>, column<"p.material_reason", &TermPolicy::material_reason>,
    column<"p.grace_in_days", &TermPolicy::grace_in_days>, column<"p.grace_until", &TermPolicy::grace_until>,
    column<"p.processing", &TermPolicy::processing>, column<"p.created_at", &TermPolicy::created_at>,
    column<"p.updated_at", &TermPolicy::updated_at>);
constexpr auto published_content_columns = columns<PublishedContent>(
    part<&PublishedContent::policy, published_columns>, part<&PublishedContent::content, content_columns<"c.">>);

}  // namespace

ContentHashes read_hashes(const std::string& text) {
    ContentHashes out;
    const boost::json::value parsed = boost::json::parse(text);
    for (const auto& [language, hash] : parsed.as_object())
        out.emplace_back(stored_enum<Language>(std::string(language)), std::string(hash.as_string()));
    std::ranges::sort(out);
    return out;
}

// The types are in the order of the enum.
std::string AcceptanceRepository::standing_columns() {
    static constexpr std::string_view of_type = columns_of_type.list();
    std::string out;
    for (const auto& [type, name] : EnumNames<PolicyType>::names)
        out.append(out.empty() ? "" : ", ").append(fmt::format(of_type, name));
    return out;
}

std::vector<Standing> AcceptanceRepository::read_standings(const storage::Row& row, std::size_t first) {
    std::vector<Standing> out;
    for (const PolicyType type : all_policy_types) {
        Standing standing = columns_of_type.read_from(row, first);
        standing.type = type;
        if (standing.accepted > standing.latest) standing.accepted.reset();
        out.push_back(standing);
        first += columns_of_type.width;
    }
    return out;
}

std::string AcceptanceRepository::accepted_columns() {
    std::string out;
    for (const auto& [type, name] : EnumNames<PolicyType>::names)
        out.append(out.empty() ? "" : ", ").append(fmt::format(accepted_sql.view(), name));
    return out;
}

PolicyVersions AcceptanceRepository::read_accepted(const storage::Row& row, std::size_t first) {
    PolicyVersions out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = row.integer_or_null(first + i);
    return out;
}

std::vector<PolicyType> held_of(const RequiredVersions& required, const PolicyVersions& accepted) {
    std::vector<PolicyType> out;
    for (const PolicyType type : all_policy_types) {
        const auto& demand = required[static_cast<std::size_t>(type)];
        const auto& version = accepted[static_cast<std::size_t>(type)];
        if (demand && version >= demand->version && version <= demand->latest) out.push_back(type);
    }
    return out;
}

std::vector<PolicyType> held_of(const std::vector<Standing>& standings) {
    std::vector<PolicyType> out;
    for (const Standing& standing : standings)
        if (standing.holds()) out.push_back(standing.type);
    return out;
}

awaitable<std::vector<Standing>> AcceptanceRepository::standings(UserId user) {
    static const std::string sql = standings_sql();
    const auto rows = co_await database_.look_up(sql, user);
    if (rows.empty()) throw std::logic_error("acceptances: asked for an account that does not exist");
    co_return read_standings(rows[0], 1);
}

awaitable<RequiredVersions> AcceptanceRepository::required_versions() {
    static const std::string sql = required_versions_sql();
    const auto rows = co_await database_.query_shared(sql);
    RequiredVersions out;
    for (const auto& [type, required] : required_of_type_columns.read_all(rows))
        out[static_cast<std::size_t>(type)] = required;
    co_return out;
}

awaitable<std::optional<TimePoint>> AcceptanceRepository::last_at(UserId user, PolicyType type) {
    const auto rows = co_await database_.query(
        "SELECT accepted_at FROM term_policy_acceptances WHERE user_id = $1 AND type = $2 ORDER BY sequence DESC "
        "LIMIT 1",
        user, name_of(type));
    co_return rows.empty() ? std::nullopt : rows[0].time_or_null(0);
}

awaitable<std::vector<LatestPolicy>> AcceptanceRepository::list_latest() {
    const auto rows = co_await database_.query(
        sql<"SELECT ", latest_columns,
            " FROM term_policies p WHERE p.status = 'published' "
            "AND p.version = (SELECT MAX(n.version) FROM term_policies n WHERE n.type = p.type "
            "AND n.status = 'published')">);
    auto out = latest_columns.read_all(rows);
    std::ranges::sort(out, {}, &LatestPolicy::type);
    co_return out;
}

awaitable<bool> AcceptanceRepository::is_published(PolicyType type, std::int64_t version) {
    const auto rows = co_await database_.query(
        "SELECT 1 FROM term_policies WHERE type = $1 AND version = $2 AND status = 'published'", name_of(type),
        version);
    co_return !rows.empty();
}

awaitable<std::vector<UserStandings>> AcceptanceRepository::standings_of(std::vector<UserId> users) {
    static const std::string sql = standings_of_many_sql();
    std::vector<UserStandings> out;
    for (std::size_t first = 0; first < users.size(); first += users_at_once) {
        storage::Params params;
        for (std::size_t i = 0; i < users_at_once; ++i)
            params.push_back(storage::bind(users[std::min(first + i, users.size() - 1)]));
        const auto rows = co_await database_.query_with(sql, std::move(params));
        for (std::size_t i = 0; i < rows.size(); ++i)
            out.push_back({.user = rows[i].id<UserId>(0), .standings = read_standings(rows[i], 1)});
    }
    co_return out;
}

awaitable<std::optional<AccountStandings>> AcceptanceRepository::find_account(UserId user) {
    static const std::string statement = fmt::format("SELECT {}, {}{} WHERE u.id = $1 AND {}", profile_columns.list(),
                                                     standing_columns(), user_tables.view(), exists_sql.view());
    const auto rows = co_await database_.look_up(statement, user);
    auto profile = profile_columns.read_first(rows);
    if (!profile) co_return std::nullopt;
    co_return AccountStandings{std::move(*profile), read_standings(rows[0], profile_columns.width)};
}

awaitable<ListSlice<Acceptance>> AcceptanceRepository::list(UserId user, ListQuery query) {
    return storage::select_list(
        database_, {.columns = acceptance_columns.list(), .from = "term_policy_acceptances WHERE user_id = $1"},
        std::move(query), acceptance_columns.read, user);
}

awaitable<std::optional<RecordFacts>> AcceptanceRepository::find_record(UserId user, AcceptanceId id) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", record_columns, " FROM term_policy_acceptances WHERE id = $1 AND user_id = $2">, id, user);
    co_return record_columns.read_first(rows);
}

awaitable<std::vector<TermPolicy>> AcceptanceRepository::list_successors(PolicyType type, std::int64_t version) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", published_columns,
            " FROM term_policies p WHERE p.type = $1 AND p.status = 'published' AND p.version > $2 "
            "ORDER BY p.version">,
        name_of(type), version);
    co_return published_columns.read_all(rows);
}

awaitable<std::map<TermPolicyId, TermPolicy>> AcceptanceRepository::find_published(std::vector<TermPolicyId> ids) {
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    std::map<TermPolicyId, TermPolicy> out;
    // Eight ids per statement; unused parameters repeat the last one, so there is one SQL text for any number.
    constexpr std::size_t places = 8;
    for (std::size_t first = 0; first < ids.size(); first += places) {
        storage::Params params;
        for (std::size_t i = 0; i < places; ++i)
            params.push_back(storage::bind(ids[std::min(first + i, ids.size() - 1)]));
        const auto rows = co_await database_.query_with(
            sql<"SELECT ", published_content_columns,
                " FROM term_policies p JOIN term_policy_contents c ON c.term_policy_id = p.id "
                "WHERE p.id IN ($1, $2, $3, $4, $5, $6, $7, $8) AND p.status = 'published'">,
            std::move(params));
        for (auto& [policy, content] : published_content_columns.read_all(rows)) {
            policy.status = PolicyStatus::published;
            TermPolicy& found = out.try_emplace(policy.id, policy).first->second;
            found.contents.push_back(std::move(content));
        }
    }
    for (auto& [id, policy] : out) std::ranges::sort(policy.contents, {}, &PolicyContent::language);
    co_return out;
}

void AcceptanceRepository::add_acceptance(storage::Transaction& transaction, Expect expect, const Addendum& addendum,
                                          TermPolicyId policy, Language language, TimePoint now) {
    // Two concurrent requests may read the same end of the history; its unique key lets only one of them commit.
    transaction.add(
        expect,
        "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, "
        "version, language, content_hashes, accepted_at, ip_address, user_agent, session_id, "
        "shown_diff_hash) SELECT $1, $2, p.type, 1 + COALESCE((SELECT MAX(a.sequence) FROM term_policy_acceptances a "
        "WHERE a.user_id = $2 AND a.type = p.type), 0), 'accepted', p.id, p.version, $4, "
        "p.content_hashes, $5, $6, $7, $8, $9 FROM term_policies p WHERE p.id = $3 "
        "AND p.status = 'published' AND NOT EXISTS (SELECT 1 FROM term_policies n "
        "WHERE n.type = p.type AND n.status = 'published' AND n.version > p.version) "
        "AND p.version <> COALESCE((SELECT CASE WHEN a.action = 'accepted' THEN a.version END "
        "FROM term_policy_acceptances a WHERE a.user_id = $2 AND a.type = p.type "
        "ORDER BY a.sequence DESC LIMIT 1), 0)",
        addendum.acceptance, addendum.user, policy, name_of(language), now, addendum.ip_address, addendum.user_agent,
        addendum.session, addendum.shown_diff_hash);
}

awaitable<bool> AcceptanceRepository::is_shown_diff(PolicyType type, std::int64_t to, std::string hash) {
    const auto rows = co_await database_.query(
        "SELECT 1 FROM term_policy_diffs WHERE hash = $1 AND type = $2 AND to_version = $3", hash, name_of(type), to);
    co_return !rows.empty();
}

void AcceptanceRepository::add_withdrawal(storage::Transaction& transaction, Expect expect, const Addendum& addendum,
                                          PolicyType type, TimePoint now, std::optional<AcceptanceId> former) {
    transaction.add(expect,
                    "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, "
                    "version, language, content_hashes, accepted_at, ip_address, user_agent, session_id) "
                    "SELECT $1, a.user_id, a.type, a.sequence + 1, 'withdrawn', a.term_policy_id, a.version, "
                    "a.language, a.content_hashes, $4, $5, $6, $7 FROM term_policy_acceptances a "
                    "WHERE a.user_id = $2 AND a.type = $3 AND a.action = 'accepted' AND a.sequence = ("
                    "SELECT MAX(n.sequence) FROM term_policy_acceptances n WHERE n.user_id = $2 AND n.type = $3) "
                    "AND a.id = COALESCE($8, a.id)",
                    addendum.acceptance, addendum.user, name_of(type), now, addendum.ip_address, addendum.user_agent,
                    addendum.session, former);
}

void AcceptanceRepository::add_not_erased(storage::Transaction& transaction, UserId user) {
    transaction.add(Expect::one, "UPDATE users SET erased_at = NULL WHERE id = $1 AND erased_at IS NULL", user);
}

awaitable<std::vector<StoredConsent>> AcceptanceRepository::list_standing(UserId user) {
    static const std::string sql = standing_sql();
    const auto rows = co_await database_.query(sql, user);
    co_return stored_columns.read_all(rows);
}

awaitable<AcceptanceId> AcceptanceRepository::end_of_portion(AcceptanceId after) {
    co_return AcceptanceId{co_await storage::end_of_portion(
        database_, "SELECT id FROM term_policy_acceptances WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 499",
        after.uuid())};
}

awaitable<std::vector<StoredConsent>> AcceptanceRepository::list_unlogged(AcceptanceId after, AcceptanceId last) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", stored_columns,
            " FROM term_policy_acceptances a WHERE a.id > $1 AND a.id <= $2 AND NOT EXISTS (SELECT 1 "
            "FROM log_entries e WHERE e.id = a.id AND e.id > $1 AND e.id <= $2) ORDER BY a.id">,
        after, last);
    co_return stored_columns.read_all(rows);
}

}  // namespace consentry
