#include "features/term_policies/announcement_repository.hpp"

#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;

// p: a version; l: the latest one of its type.
constexpr auto with_latest = storage::Text{
    "term_policies p JOIN term_policies l ON l.type = p.type AND l.status = 'published' AND NOT EXISTS (SELECT 1 FROM "
    "term_policies n WHERE n.type = p.type AND n.status = 'published' AND n.version > l.version) "};
// p is the version $1, and the guard requires it.
constexpr auto is_required = storage::Text{
    "WHERE p.id = $1 AND NOT EXISTS (SELECT 1 FROM term_policies m WHERE m.type = p.type AND m.status = 'published' "
    "AND m.is_material = TRUE AND m.version > p.version) "};

// The announcement of the version $1 has come to the account $2, and $4 is the latest version of the type $3.
constexpr auto is_as_read = storage::Text{
    "term_policy_id = $1 AND COALESCE(after_user, $2) = $2 AND NOT EXISTS (SELECT 1 FROM term_policies n "
    "WHERE n.type = $3 AND n.status = 'published' AND n.version > $4)"};

}  // namespace

void AnnouncementRepository::add_insert(storage::Transaction& transaction, TermPolicyId policy, TimePoint now) {
    // Users are told of the highest version only, because that is the one that they must accept. It need not be
    // material itself: a material version below it makes all accept again who have accepted an older one.
    transaction.add(Expect::any,
                    sql<"DELETE FROM term_policy_announcements WHERE term_policy_id IN (SELECT o.id FROM ", with_latest,
                        "JOIN term_policies o ON o.type = p.type AND o.version < l.version ", is_required, ")">,
                    policy);
    transaction.add(Expect::any,
                    sql<"INSERT INTO term_policy_announcements (term_policy_id, created_at) "
                        "SELECT l.id, CAST($2 AS BIGINT) FROM ",
                        with_latest, is_required, "ON CONFLICT (term_policy_id) DO NOTHING">,
                    policy, now);
}

// Mails that a server puts off wait for days, and must not keep the others from being written. Mails are tried in the
// order of their IDs, so those that were not tried are among the newest, of which there are fewer than two portions.
awaitable<std::optional<AnnouncementRepository::Open>> AnnouncementRepository::next(std::int64_t untried_max) {
    constexpr auto open_columns =
        columns<Open>(column<"a.term_policy_id", &Open::policy>, column<"l.id", &Open::latest>,
                      column<"a.after_user", &Open::after>, column<"a.created_at", &Open::created_at>);
    const auto rows = co_await database_.query(
        sql<"SELECT ", open_columns, " FROM ", with_latest,
            "JOIN term_policy_announcements a ON a.term_policy_id = p.id WHERE (SELECT COUNT(*) FROM "
            "(SELECT last_error FROM mails WHERE kind = 'policyPublished' AND failed_at IS NULL "
            "ORDER BY id DESC LIMIT $2) AS newest WHERE last_error IS NULL) < $1 "
            "ORDER BY a.created_at, a.term_policy_id LIMIT 1">,
        untried_max, untried_max * 2);
    co_return open_columns.read_first(rows);
}

// Accounts created after the publication are skipped: they have seen the new document.
awaitable<AnnouncementRepository::Readers> AnnouncementRepository::readers_in_portion(UserId after,
                                                                                      TimePoint announced_at,
                                                                                      std::int64_t limit) {
    const UserId last{co_await storage::end_of_portion(
        database_, "SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 999", after.uuid())};
    const auto rows = co_await database_.query(
        "SELECT id, language FROM users WHERE id > $1 AND id <= $2 AND status = 'active' AND is_verified = TRUE AND "
        "deleted_at IS NULL AND created_at <= $3 ORDER BY id LIMIT $4",
        after, last, announced_at, limit);
    Readers out;
    out.found.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        out.found.push_back({rows[i].id<UserId>(0), find_language(rows[i].text(1)).value_or(Language::en)});
    if (std::ssize(out.found) == limit)
        out.next_after = out.found.back().id;
    else if (last.uuid() != Uuid::greatest())
        out.next_after = last;
    co_return out;
}

void AnnouncementRepository::add_progress(storage::Transaction& transaction, const Open& open, const TermPolicy& latest,
                                          std::optional<UserId> next_after) {
    const UserId after = open.after.value_or(UserId{});
    if (!next_after)
        transaction.add(Expect::one, sql<"DELETE FROM term_policy_announcements WHERE ", is_as_read>, open.policy,
                        after, name_of(latest.type), latest.version);
    else
        transaction.add(Expect::one, sql<"UPDATE term_policy_announcements SET after_user = $5 WHERE ", is_as_read>,
                        open.policy, after, name_of(latest.type), latest.version, *next_after);
}

}  // namespace consentry
