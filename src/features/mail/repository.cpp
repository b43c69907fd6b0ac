#include "features/mail/repository.hpp"

#include <algorithm>

#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using crypto::SealingKeys;
using storage::column;
using storage::columns;
using storage::Expect;
using storage::part;
using storage::sql;
using storage::Text;

constexpr Text is_due_sql =
    "failed_at IS NULL AND (due_at <= $1 OR due_at > $2) "
    "AND (taken_until IS NULL OR taken_until <= $1 OR taken_until > $3)";

constexpr Text ordinary_sql = "kind <> 'policyPublished'";
constexpr Text announcement_sql = "kind = 'policyPublished'";

constexpr auto payload_columns = columns<SealingKeys::Sealed>(column<"iv", &SealingKeys::Sealed::iv>,
                                                              column<"payload", &SealingKeys::Sealed::bytes>);
constexpr auto mail_columns =
    columns<StoredMail>(column<"id", &StoredMail::id>, column<"user_id", &StoredMail::user>,
                        column<"address", &StoredMail::address>, column<"language", &StoredMail::language>,
                        column<"kind", &StoredMail::kind>, part<&StoredMail::payload, payload_columns>,
                        column<"created_at", &StoredMail::created_at>, column<"attempt", &StoredMail::attempt>);

// The condition occurs twice: under READ COMMITTED, PostgreSQL re-evaluates the outer one if another instance has just
// claimed the row, so each row goes to one instance.
template <Text of_turn>
constexpr std::string_view take_sql =
    sql<"UPDATE mails SET taken_by = $4, taken_until = $5, attempt = attempt + 1 WHERE ", is_due_sql,
        " AND id IN (SELECT id FROM mails WHERE ", is_due_sql, " AND ", of_turn,
        " ORDER BY due_at, id LIMIT $6) RETURNING ", mail_columns>;

constexpr std::string_view erase_sql = "DELETE FROM mails WHERE id = $1 AND taken_by = $2";

}  // namespace

void MailRepository::add_insert(storage::Transaction& transaction, MailId id, UserId to, MailKind kind,
                                const crypto::SealingKeys::Sealed& payload, TimePoint now) {
    transaction.add(Expect::one,
                    "INSERT INTO mails (id, user_id, address, language, kind, iv, payload, created_at, due_at) "
                    "SELECT $1, id, email, language, $3, $4, $5, $6, $6 FROM users "
                    "WHERE id = $2 AND deleted_at IS NULL",
                    id, to, name_of(kind), payload.iv, payload.bytes, now);
}

awaitable<bool> MailRepository::any_due(MailDue due) {
    const auto rows = co_await database_.query(sql<"SELECT id FROM mails WHERE ", is_due_sql, " LIMIT 1">, due.now,
                                               due.latest, due.latest_claim);
    co_return !rows.empty();
}

awaitable<std::vector<StoredMail>> MailRepository::take(MailMark mark, MailDue due, TimePoint until, MailTurn turn,
                                                        std::int64_t limit) {
    const auto rows =
        co_await database_.execute(turn == MailTurn::ordinary ? take_sql<ordinary_sql> : take_sql<announcement_sql>,
                                   due.now, due.latest, due.latest_claim, mark, until, limit);
    auto mails = mail_columns.read_all(rows);
    std::ranges::sort(mails, {}, [](const StoredMail& mail) { return std::pair(mail.created_at, mail.id); });
    co_return mails;
}

awaitable<std::int64_t> MailRepository::keep(MailMark mark, TimePoint until) {
    const auto rows = co_await database_.execute(
        "UPDATE mails SET taken_until = $2 WHERE taken_by = $1 AND failed_at IS NULL", mark, until);
    co_return rows.affected();
}

// take() counts the attempt before it is made, so that a mail at which the program ends has it counted.
awaitable<void> MailRepository::release(MailMark mark) {
    co_await database_.execute(
        "UPDATE mails SET taken_by = NULL, taken_until = NULL, attempt = attempt - 1 WHERE taken_by = $1", mark);
}

void MailRepository::add_erase(storage::Transaction& transaction, MailId id, MailMark mark) {
    transaction.add(Expect::one, erase_sql, id, mark);
}

awaitable<void> MailRepository::erase(MailId id, MailMark mark) { co_await database_.execute(erase_sql, id, mark); }

awaitable<void> MailRepository::put_off(MailId id, MailMark mark, TimePoint due_at, std::string why) {
    co_await database_.execute(
        "UPDATE mails SET taken_by = NULL, taken_until = NULL, due_at = $3, last_error = $4 "
        "WHERE id = $1 AND taken_by = $2",
        id, mark, due_at, why);
}

awaitable<void> MailRepository::give_up(MailId id, MailMark mark, TimePoint now, std::string why) {
    co_await database_.execute(
        "UPDATE mails SET taken_by = NULL, taken_until = NULL, failed_at = $3, last_error = $4 "
        "WHERE id = $1 AND taken_by = $2",
        id, mark, now, why);
}

awaitable<WaitingMails> MailRepository::count_waiting() {
    const auto rows =
        co_await database_.query(sql<"SELECT COUNT(CASE WHEN ", ordinary_sql, " THEN 1 END), COUNT(CASE WHEN ",
                                     announcement_sql, " THEN 1 END) FROM mails WHERE failed_at IS NULL">);
    co_return WaitingMails{.ordinary = rows[0].integer(0), .announcements = rows[0].integer(1)};
}

awaitable<void> MailRepository::erase_failed(TimePoint before) {
    return storage::execute_in_portions(database_,
                                        "DELETE FROM mails WHERE failed_at < $1 AND id IN (SELECT id FROM mails WHERE "
                                        "failed_at < $1 ORDER BY failed_at LIMIT $2)",
                                        before);
}

}  // namespace consentry
