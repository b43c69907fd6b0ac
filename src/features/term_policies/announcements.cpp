#include "features/term_policies/announcements.hpp"

#include <algorithm>
#include <iterator>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;

constexpr std::int64_t announced_at_once = 100;

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

void Announcements::add(storage::Transaction& transaction, TermPolicyId policy, TimePoint now) {
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

awaitable<std::optional<Announcements::Open>> Announcements::next() {
    constexpr auto open_columns =
        columns<Open>(column<"a.term_policy_id", &Open::policy>, column<"l.id", &Open::latest>,
                      column<"a.after_user", &Open::after>, column<"a.created_at", &Open::created_at>);
    const auto rows = co_await database_.query(
        sql<"SELECT ", open_columns, " FROM ", with_latest,
            "JOIN term_policy_announcements a ON a.term_policy_id = p.id WHERE (SELECT COUNT(*) FROM "
            "(SELECT 1 FROM mails WHERE kind = 'policyPublished' AND failed_at IS NULL LIMIT $1) AS waiting) < $1 "
            "ORDER BY a.created_at, a.term_policy_id LIMIT 1">,
        announced_at_once);
    co_return open_columns.read_first(rows);
}

// Accounts created after the publication are skipped: they have seen the new document.
awaitable<Announcements::Readers> Announcements::readers_in_portion(UserId after, TimePoint announced_at,
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

awaitable<Announcements::Readers> Announcements::readers(Open announcement) {
    Readers out{.found = {}, .next_after = announcement.after.value_or(UserId{})};
    constexpr int portions_max = 100;  // then what has been looked at is recorded, and other mails are sent
    for (int portions = 1;; ++portions) {
        auto some = co_await readers_in_portion(*out.next_after, announcement.created_at,
                                                announced_at_once - std::ssize(out.found));
        std::ranges::move(some.found, std::back_inserter(out.found));
        out.next_after = some.next_after;
        if (!out.next_after || std::ssize(out.found) == announced_at_once || portions == portions_max) break;
        // SQLite reads on this thread: lets it serve requests between portions.
        co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
    }
    co_return out;
}

awaitable<void> Announcements::work_off() {
    const auto open = co_await next();
    if (!open) co_return;
    // Once a change that is not material has been published, users can no longer accept what was announced.
    const auto policy = co_await repository_.find(open->latest);
    if (!policy) co_return;
    if (policy->contents.empty())
        throw Unavailable(fmt::format("the texts of the published policy {}/{} are missing in the database",
                                      name_of(policy->type), policy->version));
    const auto written_to = co_await readers(*open);
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    // Add this statement first: of several instances that read the same accounts, only one commits, and none does if a
    // newer version has been published meanwhile.
    if (!written_to.next_after)
        transaction.add(Expect::one, sql<"DELETE FROM term_policy_announcements WHERE ", is_as_read>, open->policy,
                        open->after.value_or(UserId{}), name_of(policy->type), policy->version);
    else
        transaction.add(Expect::one, sql<"UPDATE term_policy_announcements SET after_user = $5 WHERE ", is_as_read>,
                        open->policy, open->after.value_or(UserId{}), name_of(policy->type), policy->version,
                        *written_to.next_after);
    for (const Reader& reader : written_to.found)
        mails_.add(transaction, reader.id, MailKind::policy_published,
                   {{"type", std::string(name_of(policy->type))},
                    {"version", std::to_string(policy->version)},
                    {"url", address_of(*policy, reader.language)}},
                   now);
    // If this does not commit, another instance was faster, a newer version was published, or an account was deleted.
    // The next round handles what remains.
    co_await database_.commit(std::move(transaction));
}

// The URL of the text in the reader's language, else in English, else in the first language available.
std::string Announcements::address_of(const TermPolicy& policy, Language wanted) const {
    const auto has = [&](Language language) {
        return std::ranges::find(policy.contents, language, &PolicyContent::language) != policy.contents.end();
    };
    const Language language = has(wanted)         ? wanted
                              : has(Language::en) ? Language::en
                                                  : policy.contents.front().language;
    return store_.public_address(paths_.publication(policy.type, policy.version, language));
}

}  // namespace consentry
