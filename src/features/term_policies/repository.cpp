#include "features/term_policies/repository.hpp"

#include <algorithm>
#include <unordered_map>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/bytes.hpp"
#include "features/users/stored.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::Expect;

#define CONSENTRY_POLICY_COLUMNS                                                                          \
    "id, type, version, status, revision, published_at, created_at, created_by, updated_at, updated_by, " \
    "publishing_until"
#define CONSENTRY_IS_FREE_DRAFT "status = 'draft' AND (publishing_until IS NULL OR publishing_until <= "

StoredTermPolicy to_stored(const storage::Row& row) {
    StoredTermPolicy out;
    out.id = row.id<TermPolicyId>(0);
    out.type = stored_enum<PolicyType>(row.text(1));
    out.version = row.integer(2);
    out.status = stored_enum<PolicyStatus>(row.text(3));
    out.revision = row.integer(4);
    out.published_at = row.time_or_null(5);
    out.created_at = row.time(6);
    out.created_by = row.id_or_null<UserId>(7);
    out.updated_at = row.time(8);
    out.updated_by = row.id_or_null<UserId>(9);
    out.publishing_until = row.time_or_null(10);
    return out;
}
TermPolicy to_policy(const storage::Row& row) { return to_stored(row); }

Bytes digest_bytes(const PolicyContent& content) { return from_hex(content.digest).value(); }

// As many as a page of a list holds; one text for any number.
constexpr std::size_t policies_at_once = 100;

const std::string& contents_statement() {
    static const std::string text =
        "SELECT term_policy_id, language, size, digest FROM term_policy_contents WHERE term_policy_id IN (" +
        storage::parameters(1, policies_at_once) + ")";
    return text;
}

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
            TermPolicy* policy = policies[std::min(i, end - 1)];  // places that are left over repeat the last
            by_id[policy->id] = policy;
            ids.emplace_back(policy->id.uuid());
        }
        const auto rows = co_await database_.query_with(contents_statement(), std::move(ids));
        for (std::size_t i = 0; i < rows.size(); ++i)
            by_id.at(rows[i].id<TermPolicyId>(0))
                ->contents.push_back({.language = stored_enum<Language>(rows[i].text(1)),
                                      .size = rows[i].integer(2),
                                      .digest = to_hex(rows[i].bytes(3))});
    }
    for (TermPolicy* policy : policies) std::ranges::sort(policy->contents, {}, &PolicyContent::language);
}

awaitable<std::optional<StoredTermPolicy>> TermPolicyRepository::with_contents(storage::Rows rows) {
    if (rows.empty()) co_return std::nullopt;
    auto out = to_stored(rows[0]);
    const auto contents = co_await database_.query(
        "SELECT language, size, digest FROM term_policy_contents WHERE term_policy_id = $1", out.id);
    for (std::size_t i = 0; i < contents.size(); ++i)
        out.contents.push_back({.language = stored_enum<Language>(contents[i].text(0)),
                                .size = contents[i].integer(1),
                                .digest = to_hex(contents[i].bytes(2))});
    std::ranges::sort(out.contents, {}, &PolicyContent::language);
    co_return out;
}

awaitable<std::optional<StoredTermPolicy>> TermPolicyRepository::find(TermPolicyId id) {
    auto rows = co_await database_.query("SELECT " CONSENTRY_POLICY_COLUMNS " FROM term_policies WHERE id = $1", id);
    co_return co_await with_contents(std::move(rows));
}

awaitable<std::optional<StoredTermPolicy>> TermPolicyRepository::find_version(PolicyType type, std::int64_t version) {
    auto rows = co_await database_.query("SELECT " CONSENTRY_POLICY_COLUMNS
                                         " FROM term_policies WHERE type = $1 AND version = $2",
                                         name_of(type), version);
    co_return co_await with_contents(std::move(rows));
}

awaitable<std::optional<TermPolicy>> TermPolicyRepository::find_latest(PolicyType type) {
    const auto rows = co_await database_.query(
        "SELECT " CONSENTRY_POLICY_COLUMNS
        " FROM term_policies WHERE type = $1 AND status = 'published' ORDER BY version DESC LIMIT 1",
        name_of(type));
    if (rows.empty()) co_return std::nullopt;
    co_return to_policy(rows[0]);
}

awaitable<ListSlice<TermPolicy>> TermPolicyRepository::list(ListQuery query) {
    auto out = co_await storage::select_list(database_,
                                             {.columns = CONSENTRY_POLICY_COLUMNS, .from = "term_policies WHERE TRUE"},
                                             std::move(query), to_policy);
    std::vector<TermPolicy*> found;
    for (TermPolicy& policy : out.items) found.push_back(&policy);
    co_await fill_contents(std::move(found));
    co_return out;
}

awaitable<std::vector<TermPolicy>> TermPolicyRepository::list_all() {
    const auto rows =
        co_await database_.query("SELECT " CONSENTRY_POLICY_COLUMNS " FROM term_policies ORDER BY type, version");
    std::vector<TermPolicy> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(to_policy(rows[i]));
    std::vector<TermPolicy*> found;
    for (TermPolicy& policy : out) found.push_back(&policy);
    co_await fill_contents(std::move(found));
    co_return out;
}

void TermPolicyRepository::add_insert(PrivilegedTransaction& transaction, const TermPolicy& policy) {
    transaction.add(Expect::one,
                    "INSERT INTO term_policies (id, type, version, status, created_at, created_by, updated_at, "
                    "updated_by) VALUES ($1, $2, $3, 'draft', $4, $5, $4, $5)",
                    policy.id, name_of(policy.type), policy.version, policy.created_at, policy.created_by);
}

void TermPolicyRepository::add_change(PrivilegedTransaction& transaction, TermPolicyId id, std::optional<UserId> by,
                                      TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE term_policies SET revision = revision + 1, updated_at = $2, updated_by = $3 WHERE id = $1 "
                    "AND " CONSENTRY_IS_FREE_DRAFT "$2)",
                    id, now, by);
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
    // One more than was seen: the change that this transaction began with.
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

void TermPolicyRepository::add_publish(PrivilegedTransaction& transaction, const TermPolicy& seen,
                                       std::optional<UserId> by, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE term_policies SET status = 'published', published_at = $3, published_by = $4, "
                    "content_hashes = $5, publishing_until = NULL, updated_at = $3, updated_by = $4 "
                    "WHERE id = $1 AND status = 'draft' AND revision = $2 AND publishing_until > $3",
                    seen.id, seen.revision, now, by, content_hashes_of(seen));
}

awaitable<TermPolicyRepository::CountedImpact> TermPolicyRepository::count_some(TermPolicy policy,
                                                                                std::optional<UserId> after,
                                                                                std::int64_t accounts_max) {
    const auto rows = co_await database_.query(
        "SELECT u.id, u.status = 'active' AND u.deleted_at IS NULL, "
        "COALESCE((SELECT a.action = 'accepted' AND a.term_policy_id = $1 FROM term_policy_acceptances a "
        "WHERE a.user_id = u.id AND a.type = $2 ORDER BY a.sequence DESC LIMIT 1), FALSE) "
        "FROM users u WHERE u.id > $3 ORDER BY u.id LIMIT $4",
        policy.id, name_of(policy.type), after.value_or(UserId{}), accounts_max);
    CountedImpact out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_active = rows[i].boolean(1);
        out.impact.active_users += is_active ? 1 : 0;
        out.impact.affected_users += is_active && rows[i].boolean(2) ? 1 : 0;
    }
    if (static_cast<std::int64_t>(rows.size()) == accounts_max) out.last = rows[rows.size() - 1].id<UserId>(0);
    co_return out;
}

}  // namespace consentry
