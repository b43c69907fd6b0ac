#include "features/term_policies/repository.hpp"

#include <algorithm>
#include <unordered_map>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/bytes.hpp"
#include "features/term_policies/content_check.hpp"
#include "features/term_policies/stored_content.hpp"
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
using storage::Text;

constexpr auto policy_columns = columns<StoredTermPolicy>(
    column<"id", &StoredTermPolicy::id>, column<"type", &StoredTermPolicy::type>,
    column<"version", &StoredTermPolicy::version>, column<"status", &StoredTermPolicy::status>,
    column<"revision", &StoredTermPolicy::revision>, column<"published_at", &StoredTermPolicy::published_at>,
    column<"is_material", &StoredTermPolicy::is_material>,
    column<"material_reason", &StoredTermPolicy::material_reason>,
    column<"grace_in_days", &StoredTermPolicy::grace_in_days>, column<"grace_until", &StoredTermPolicy::grace_until>,
    column<"processing", &StoredTermPolicy::processing>, column<"created_at", &StoredTermPolicy::created_at>,
    column<"created_by", &StoredTermPolicy::created_by>, column<"updated_at", &StoredTermPolicy::updated_at>,
    column<"updated_by", &StoredTermPolicy::updated_by>,
    column<"publishing_until", &StoredTermPolicy::publishing_until>);
// Without the claim: only a publication needs it, and a list publishes nothing.
// NOLINTNEXTLINE(cppcoreguidelines-slicing)
TermPolicy to_policy(const storage::Row& row) { return policy_columns.read(row); }

Bytes digest_bytes(const PolicyContent& content) { return from_hex(content.digest).value(); }

struct ContentOfPolicy {
    TermPolicyId policy;
    PolicyContent content;
};
constexpr auto content_of_policy_columns = columns<ContentOfPolicy>(
    column<"term_policy_id", &ContentOfPolicy::policy>, part<&ContentOfPolicy::content, content_columns<"">>);

// The maximum page size of a list. Using one size keeps the statement's text constant.
constexpr std::size_t policies_at_once = 100;

const std::string& contents_statement() {
    static const std::string text =
        std::string(sql<"SELECT ", content_of_policy_columns, " FROM term_policy_contents WHERE term_policy_id IN (">) +
        storage::parameters(1, policies_at_once) + ")";
    return text;
}

// $1 is a document's type, $2 its version, $3 the lowest version of which acceptances hold.
struct CountedUser {
    UserId id;
    bool is_active = false;
    bool holds = false;
};
constexpr auto counted_user_columns = columns<CountedUser>(
    column<"u.id", &CountedUser::id>, column<"u.status = 'active' AND u.deleted_at IS NULL", &CountedUser::is_active>,
    column<"COALESCE((SELECT a.action = 'accepted' AND a.version >= $3 AND a.version < $2 "
           "FROM term_policy_acceptances a WHERE a.user_id = u.id AND a.type = $1 ORDER BY a.sequence DESC LIMIT 1), "
           "FALSE)",
           &CountedUser::holds>);

// n: the version of a type that the guard requires; $2: the time. The lowest version that passes, if not for long.
constexpr auto passes_from =
    Text{"CASE WHEN n.grace_until > $2 THEN COALESCE(n.grace_version, n.version) ELSE n.version END"};
constexpr auto newest_material =
    Text{" AND n.status = 'published' AND n.is_material = TRUE ORDER BY n.version DESC LIMIT 1"};

}  // namespace

std::string content_hashes_of(const TermPolicy& policy) {
    boost::json::object out;
    for (const PolicyContent& content : policy.contents) out[name_of(content.language)] = content.digest;
    return boost::json::serialize(out);
}

awaitable<void> TermPolicyRepository::fill_contents(std::vector<TermPolicy*> policies) {
    for (std::size_t begin = 0; begin < policies.size(); begin += policies_at_once) {
        const std::size_t end = std::min(begin + policies_at_once, policies.size());
        std::unordered_map<TermPolicyId, TermPolicy*> by_id;
        storage::Params ids;
        for (std::size_t i = begin; i < begin + policies_at_once; ++i) {
            TermPolicy* policy = policies[std::min(i, end - 1)];  // unused places repeat the last id
            by_id[policy->id] = policy;
            ids.emplace_back(policy->id.uuid());
        }
        const auto rows = co_await database_.query_with(contents_statement(), std::move(ids));
        for (auto& [policy, content] : content_of_policy_columns.read_all(rows))
            by_id.at(policy)->contents.push_back(std::move(content));
    }
    for (TermPolicy* policy : policies) std::ranges::sort(policy->contents, {}, &PolicyContent::language);
}

awaitable<std::optional<StoredTermPolicy>> TermPolicyRepository::with_contents(storage::Rows rows) {
    if (rows.empty()) co_return std::nullopt;
    auto out = policy_columns.read(rows[0]);
    const auto contents = co_await database_.query(
        sql<"SELECT ", content_columns<"">, " FROM term_policy_contents WHERE term_policy_id = $1">, out.id);
    out.contents = content_columns<"">.read_all(contents);
    std::ranges::sort(out.contents, {}, &PolicyContent::language);
    co_return out;
}

awaitable<std::optional<StoredTermPolicy>> TermPolicyRepository::find(TermPolicyId id) {
    auto rows = co_await database_.query(sql<"SELECT ", policy_columns, " FROM term_policies WHERE id = $1">, id);
    co_return co_await with_contents(std::move(rows));
}

awaitable<std::optional<StoredTermPolicy>> TermPolicyRepository::find_version(PolicyType type, std::int64_t version) {
    auto rows = co_await database_.query(
        sql<"SELECT ", policy_columns, " FROM term_policies WHERE type = $1 AND version = $2">, name_of(type), version);
    co_return co_await with_contents(std::move(rows));
}

awaitable<std::optional<PassingVersions>> TermPolicyRepository::find_required(PolicyType type, TimePoint now) {
    const auto rows = co_await database_.query(
        sql<"SELECT n.version, ", passes_from, " FROM term_policies n WHERE n.type = $1", newest_material>,
        name_of(type), now);
    if (rows.empty()) co_return std::nullopt;
    co_return PassingVersions{.required = rows[0].integer(0), .from = rows[0].integer(1)};
}

awaitable<bool> TermPolicyRepository::is_successor(PolicyType type, std::int64_t version) {
    const auto rows = co_await database_.query(
        "SELECT 1 FROM term_policies WHERE type = $1 AND version < $2 AND status = 'published' LIMIT 1", name_of(type),
        version);
    co_return !rows.empty();
}

awaitable<ListSlice<TermPolicy>> TermPolicyRepository::list(ListQuery query) {
    auto out = co_await storage::select_list(
        database_, {.columns = policy_columns.list(), .from = "term_policies WHERE TRUE"}, std::move(query), to_policy);
    std::vector<TermPolicy*> found;
    found.reserve(out.items.size());
    for (TermPolicy& policy : out.items) found.push_back(&policy);
    co_await fill_contents(std::move(found));
    co_return out;
}

awaitable<std::vector<TermPolicy>> TermPolicyRepository::list_all() {
    const auto rows =
        co_await database_.query(sql<"SELECT ", policy_columns, " FROM term_policies ORDER BY type, version">);
    std::vector<TermPolicy> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(to_policy(rows[i]));
    std::vector<TermPolicy*> found;
    found.reserve(out.size());
    for (TermPolicy& policy : out) found.push_back(&policy);
    co_await fill_contents(std::move(found));
    co_return out;
}

void TermPolicyRepository::add_insert(PrivilegedTransaction& transaction, const TermPolicy& policy) {
    transaction.add(Expect::one,
                    "INSERT INTO term_policies (id, type, version, status, created_at, created_by, updated_at, "
                    "updated_by, processing) VALUES ($1, $2, $3, 'draft', $4, $5, $4, $5, $6)",
                    policy.id, name_of(policy.type), policy.version, policy.created_at, policy.created_by,
                    policy.processing);
}

void TermPolicyRepository::add_change(PrivilegedTransaction& transaction, TermPolicyId id, std::optional<UserId> by,
                                      TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE term_policies SET revision = revision + 1, updated_at = $2, updated_by = $3 WHERE id = $1 "
                    "AND status = 'draft' AND (publishing_until IS NULL OR publishing_until <= $2)",
                    id, now, by);
}

void TermPolicyRepository::add_processing(PrivilegedTransaction& transaction, TermPolicyId id,
                                          const std::optional<std::string>& processing) {
    transaction.add(Expect::one, "UPDATE term_policies SET processing = $2 WHERE id = $1", id, processing);
}

void TermPolicyRepository::add_content(PrivilegedTransaction& transaction, TermPolicyId id,
                                       const PolicyContent& content) {
    transaction.add(Expect::one,
                    "INSERT INTO term_policy_contents (term_policy_id, language, size, digest) VALUES ($1, $2, $3, $4)",
                    id, name_of(content.language), content.size, digest_bytes(content));
}

void TermPolicyRepository::add_content_update(PrivilegedTransaction& transaction, TermPolicyId id,
                                              const PolicyContent& content) {
    transaction.add(
        Expect::one,
        "UPDATE term_policy_contents SET size = $3, digest = $4 WHERE term_policy_id = $1 AND language = $2", id,
        name_of(content.language), content.size, digest_bytes(content));
}

void TermPolicyRepository::add_content_erase(PrivilegedTransaction& transaction, TermPolicyId id, Language language) {
    transaction.add(Expect::one, "DELETE FROM term_policy_contents WHERE term_policy_id = $1 AND language = $2", id,
                    name_of(language));
}

void TermPolicyRepository::add_erase(PrivilegedTransaction& transaction, const TermPolicy& seen) {
    transaction.add(Expect::any, "DELETE FROM term_policy_contents WHERE term_policy_id = $1", seen.id);
    // The revision is one higher than `seen`, because this transaction began with add_change().
    transaction.add(Expect::one, "DELETE FROM term_policies WHERE id = $1 AND revision = $2", seen.id,
                    seen.revision + 1);
}

void TermPolicyRepository::add_claim(PrivilegedTransaction& transaction, const TermPolicy& seen, TimePoint until) {
    transaction.add(
        Expect::one,
        "UPDATE term_policies SET publishing_until = $3 WHERE id = $1 AND status = 'draft' AND revision = $2", seen.id,
        seen.revision, until);
}

awaitable<bool> TermPolicyRepository::renew_claim(TermPolicy seen, TimePoint until, TimePoint now) {
    const auto rows = co_await database_.execute(
        "UPDATE term_policies SET publishing_until = $3 WHERE id = $1 AND status = 'draft' AND revision = $2 "
        "AND publishing_until > $4",
        seen.id, seen.revision, until, now);
    co_return rows.affected() == 1;
}

void TermPolicyRepository::add_publication_lock(PrivilegedTransaction& transaction, PolicyType type) {
    // All rows, because any single one may be a draft that is deleted meanwhile. Of two publications, the one that
    // locks last finds the row of the other.
    transaction.add(Expect::any, "UPDATE term_policies SET updated_at = updated_at WHERE type = $1", name_of(type));
}

void TermPolicyRepository::add_publish(PrivilegedTransaction& transaction, const TermPolicy& published) {
    // The first version has no grace_version, because nothing passed before it. Its holders pass.
    transaction.add(
        Expect::one,
        sql<"UPDATE term_policies SET status = 'published', published_at = $2, published_by = $4, content_hashes = $5, "
            "publishing_until = NULL, updated_at = $2, updated_by = $4, is_material = $6, material_reason = $7, "
            "grace_in_days = $8, grace_until = $9, grace_version = (SELECT ",
            passes_from, " FROM term_policies n WHERE n.type = term_policies.type", newest_material,
            ") WHERE id = $1 AND status = 'draft' AND revision = $3 AND publishing_until > $2 "
            "AND NOT EXISTS (SELECT 1 FROM term_policies h WHERE h.type = term_policies.type "
            "AND h.version > term_policies.version AND h.status = 'published' AND h.published_at > $2)">,
        published.id, published.updated_at, published.revision, published.updated_by, content_hashes_of(published),
        published.is_material, published.material_reason, published.grace_in_days, published.grace_until);
}

awaitable<std::optional<std::string>> TermPolicyRepository::find_diff(PolicyType type, std::int64_t from,
                                                                      std::int64_t to, Language language) {
    const auto rows = co_await database_.query(
        "SELECT page FROM term_policy_diffs WHERE type = $1 AND from_version = $2 AND to_version = $3 "
        "AND language = $4",
        name_of(type), from, to, name_of(language));
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].text(0);
}

awaitable<void> TermPolicyRepository::insert_diff(PolicyType type, std::int64_t from, std::int64_t to,
                                                  Language language, std::string page) {
    co_await database_.execute(
        "INSERT INTO term_policy_diffs (hash, type, from_version, to_version, language, page) "
        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        digest_of(page), name_of(type), from, to, name_of(language), page);
}

awaitable<TermPolicyRepository::CountedImpact> TermPolicyRepository::count_some(StoredTermPolicy policy,
                                                                                std::int64_t from,
                                                                                std::optional<UserId> after,
                                                                                std::int64_t accounts_max) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", counted_user_columns, " FROM users u WHERE u.id > $4 ORDER BY u.id LIMIT $5">,
        name_of(policy.type), policy.version, from, after.value_or(UserId{}), accounts_max);
    CountedImpact out;
    const auto users = counted_user_columns.read_all(rows);
    for (const CountedUser& user : users) {
        out.impact.active_users += user.is_active ? 1 : 0;
        out.impact.affected_users += user.is_active && user.holds ? 1 : 0;
    }
    if (std::ssize(users) == accounts_max) out.last = users.back().id;
    co_return out;
}

}  // namespace consentry
