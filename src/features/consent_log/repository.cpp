#include "features/consent_log/repository.hpp"

#include "features/consent_log/addendum_columns.hpp"
#include "storage/columns.hpp"

namespace consentry {

using storage::Expect;
using storage::sql;

namespace {

// The first byte of the entries of acceptances and withdrawals. A row with the id of another entry was added by other
// means, and has neither receipt nor proof.
Bytes consent_start() { return {consent_layout}; }

constexpr storage::Text insert_entry = "INSERT INTO log_entries (id, log, entry) VALUES ($1, 'consent', $2)";
constexpr auto own_columns = storage::columns<OwnEntry>(
    storage::column<"e.entry", &OwnEntry::entry>, storage::column<"e.position", &OwnEntry::position>,
    storage::column<"e.salt", &OwnEntry::salt>, storage::column<"a.action", &OwnEntry::action>,
    storage::column<"a.type", &OwnEntry::type>, storage::column<"a.version", &OwnEntry::version>,
    storage::column<"a.language", &OwnEntry::language>, storage::part<&OwnEntry::addendum, addendum_columns>);
constexpr auto key_columns =
    storage::columns<ReceiptKey>(storage::column<"kid", &ReceiptKey::kid>, storage::column<"jwk", &ReceiptKey::jwk>,
                                 storage::column<"signature", &ReceiptKey::signature>);

}  // namespace

void ConsentLogRepository::add_consent(storage::Transaction& transaction, AcceptanceId id, const Bytes& entry,
                                       const AddendumSalt& salt) {
    transaction.add(Expect::any,
                    "INSERT INTO log_entries (id, log, entry, salt) SELECT a.id, 'consent', $2, $3 "
                    "FROM term_policy_acceptances a WHERE a.id = $1",
                    id, entry, BytesView(salt));
}

void ConsentLogRepository::add_publication(storage::Transaction& transaction, TermPolicyId policy, const Bytes& entry) {
    transaction.add(Expect::one, sql<insert_entry>, policy, entry);
}

awaitable<void> ConsentLogRepository::insert_publication(TermPolicyId policy, Bytes entry) {
    co_await database_.execute(sql<insert_entry, " ON CONFLICT (id) DO NOTHING">, policy, entry);
}

awaitable<bool> ConsentLogRepository::has_publication(TermPolicyId policy) {
    const auto rows = co_await database_.query("SELECT 1 FROM log_entries WHERE id = $1", policy);
    co_return !rows.empty();
}

void ConsentLogRepository::add_erasure(storage::Transaction& transaction, const Bytes& entry, TimePoint now) {
    // Waiting entries get their positions in the order of their ids: the erasure follows what it is about.
    transaction.add(Expect::one, sql<insert_entry>, AcceptanceId::make(now), entry);
}

awaitable<std::optional<OwnEntry>> ConsentLogRepository::find_consent(UserId user, AcceptanceId id) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", own_columns,
            " FROM log_entries e JOIN term_policy_acceptances a ON a.id = e.id "
            "WHERE e.id = $1 AND a.user_id = $2 AND e.log = 'consent' AND substr(e.entry, 1, 1) = $3">,
        id, user, consent_start());
    co_return own_columns.read_first(rows);
}

awaitable<std::vector<OwnEntry>> ConsentLogRepository::list_consents(UserId user, AcceptanceId after,
                                                                     std::int64_t count) {
    const auto rows =
        co_await database_.query(sql<"SELECT ", own_columns,
                                     " FROM log_entries e JOIN term_policy_acceptances a ON a.id = e.id "
                                     "WHERE a.user_id = $1 AND e.id > $2 "
                                     "AND e.log = 'consent' AND substr(e.entry, 1, 1) = $4 ORDER BY e.id LIMIT $3">,
                                 user, after, count, consent_start());
    co_return own_columns.read_all(rows);
}

// Almost always, the row is there. Then this statement must not lock it: acceptances would wait for each other.
void ConsentLogRepository::add_receipt_key(storage::Transaction& transaction, const ReceiptKey& key, TimePoint now) {
    transaction.add(Expect::any,
                    "INSERT INTO receipt_keys (kid, jwk, first_used_at, signature) SELECT $1, $2, $3, $4 "
                    "WHERE NOT EXISTS (SELECT 1 FROM receipt_keys WHERE kid = $1 AND signature = $4) "
                    "ON CONFLICT (kid) DO UPDATE SET signature = excluded.signature "
                    "WHERE receipt_keys.jwk = excluded.jwk",
                    key.kid, key.jwk, now, key.signature);
}

awaitable<void> ConsentLogRepository::sign_receipt_key(ReceiptKey key) {
    co_await database_.execute("UPDATE receipt_keys SET signature = $3 WHERE kid = $1 AND jwk = $2", key.kid, key.jwk,
                               key.signature);
}

awaitable<std::optional<ReceiptKey>> ConsentLogRepository::find_receipt_key(const std::string& kid) {
    const auto rows = co_await database_.query(sql<"SELECT ", key_columns, " FROM receipt_keys WHERE kid = $1">, kid);
    co_return key_columns.read_first(rows);
}

awaitable<std::vector<ReceiptKey>> ConsentLogRepository::list_receipt_keys() {
    const auto rows =
        co_await database_.query(sql<"SELECT ", key_columns, " FROM receipt_keys ORDER BY first_used_at, kid">);
    co_return key_columns.read_all(rows);
}

}  // namespace consentry
