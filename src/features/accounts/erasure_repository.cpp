#include "features/accounts/erasure_repository.hpp"

#include <string>

#include "features/activity/act_repository.hpp"
#include "features/mail/mail_kind.hpp"
#include "features/two_factor/repository.hpp"
#include "features/users/account_tokens.hpp"
#include "features/users/repository.hpp"
#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;
using storage::Text;

constexpr auto deleted_columns =
    columns<DeletedAccount>(column<"id", &DeletedAccount::id>, column<"deleted_at", &DeletedAccount::deleted_at>);

// $2 is the portion.
constexpr Text own_activity = "(SELECT id FROM activity_log WHERE user_id = $1 ORDER BY created_at, id LIMIT $2)";
// What an administrator does to an account is in both activity logs, at the same time; the administrator's names the
// account. The time finds these rows in an index.
constexpr Text acts_on_account =
    "(SELECT m.id FROM activity_log o JOIN activity_log m ON m.user_id = o.created_by AND m.created_at = o.created_at "
    "WHERE o.created_by <> $1 AND o.id IN " +
    own_activity + ")";

void add_erase_activity(storage::Transaction& transaction, UserId user, std::int64_t portion) {
    const std::string member = "\"userId\":\"" + user.text() + "\"";
    transaction.add(Expect::any,
                    sql<"UPDATE activity_log SET metadata = replace(metadata, $3, '\"userId\":null') WHERE id IN ",
                        acts_on_account, " AND metadata LIKE '%' || $3 || '%'">,
                    user, portion, member);
    transaction.add(Expect::any, sql<"DELETE FROM activity_log WHERE id IN ", own_activity>, user, portion);
}

void add_forget_origins(storage::Transaction& transaction, std::span<const ActivityId> ids) {
    static const std::string text = "UPDATE activity_log SET ip_address = NULL, user_agent = NULL WHERE id IN (" +
                                    storage::parameters(1, ActRepository::at_once) + ")";
    for (std::size_t first = 0; first < ids.size(); first += ActRepository::at_once)
        transaction.add({Expect::any, text, ActRepository::padded(ids, first)});
}

}  // namespace

awaitable<std::vector<DeletedAccount>> ErasureRepository::list_due(DeletedAccount after, ErasureTerms terms,
                                                                   std::int64_t limit) {
    // A deleted account gets neither another act nor another mail, so what is due stays due.
    const auto rows = co_await database_.query(
        sql<"SELECT ", deleted_columns,
            " FROM users WHERE deleted_at IS NOT NULL AND deleted_at <= $1 AND (deleted_at, id) > ($2, $3) "
            "AND NOT EXISTS (SELECT 1 FROM mails m WHERE m.user_id = users.id AND m.kind = $5 "
            "AND m.failed_at IS NULL) "
            "AND (NOT $6 OR NOT EXISTS (SELECT 1 FROM administration_acts a WHERE a.is_logged = FALSE "
            "AND (a.actor_id = users.id OR a.subject_id = users.id))) "
            "ORDER BY deleted_at, id LIMIT $4">,
        terms.deleted_before, after.deleted_at, after.id, limit, name_of(MailKind::account_deleted),
        terms.acts_are_logged);
    co_return deleted_columns.read_all(rows);
}

void ErasureRepository::add_mark(storage::Transaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::any,
                    "UPDATE users SET erased_at = $2, deleted_email = NULL, name = NULL, gender = NULL, "
                    "last_ip_address = NULL WHERE id = $1 AND deleted_at IS NOT NULL AND erased_at IS NULL",
                    user, now);
}

// A search: besides these entries, it passes over those without an origin, and over the account's own.
awaitable<std::vector<ActivityId>> ErasureRepository::list_on_others(UserId user, std::int64_t limit) {
    const auto rows = co_await database_.search_with(
        "SELECT id FROM activity_log WHERE created_by = $1 AND user_id <> $1 "
        "AND (ip_address IS NOT NULL OR user_agent IS NOT NULL) LIMIT $2",
        storage::bind_all(user, limit));
    std::vector<ActivityId> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].id<ActivityId>(0));
    co_return out;
}

void ErasureRepository::add_erase(storage::Transaction& transaction, UserId user, std::int64_t portion,
                                  const ListedForErasure& listed) {
    ActRepository::add_erase(transaction, listed.acts);
    add_forget_origins(transaction, listed.on_others);
    add_erase_activity(transaction, user, portion);
    transaction.add(Expect::any,
                    "DELETE FROM sessions WHERE id IN "
                    "(SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at, id LIMIT $2)",
                    user, portion);
    transaction.add(Expect::any, "DELETE FROM mails WHERE user_id = $1", user);
    // The deletion has removed these; a request at the same moment may have added one.
    TwoFactorRepository::add_erase(transaction, user);
    AccountTokens::add_erase(transaction, user);
    UserRepository::add_erase_identities(transaction, user);
    transaction.add(Expect::any, "DELETE FROM known_devices WHERE user_id = $1", user);
    transaction.add(Expect::any, "DELETE FROM password_history WHERE user_id = $1", user);
    transaction.add(Expect::any,
                    "DELETE FROM users WHERE id = $1 AND erased_at IS NOT NULL "
                    "AND NOT EXISTS (SELECT 1 FROM activity_log a WHERE a.user_id = $1) "
                    "AND NOT EXISTS (SELECT 1 FROM activity_log a WHERE a.created_by = $1) "
                    "AND NOT EXISTS (SELECT 1 FROM administration_acts a WHERE a.actor_id = $1) "
                    "AND NOT EXISTS (SELECT 1 FROM administration_acts a WHERE a.subject_id = $1) "
                    "AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = $1) "
                    "AND NOT EXISTS (SELECT 1 FROM term_policy_acceptances c WHERE c.user_id = $1)",
                    user);
}

}  // namespace consentry
