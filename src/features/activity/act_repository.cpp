#include "features/activity/act_repository.hpp"

#include <iterator>
#include <string>

#include "storage/portions.hpp"

namespace consentry {

namespace {

using storage::Expect;
using storage::sql;

std::vector<ActId> ids_of(const storage::Rows& rows) {
    std::vector<ActId> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].id<ActId>(0));
    return out;
}

}  // namespace

void ActRepository::add_insert(storage::Transaction& transaction, const Act& act) {
    transaction.add(Expect::one,
                    "INSERT INTO administration_acts (id, code, actor_id, subject_id, ip_address, user_agent, "
                    "metadata, acted_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                    act.id, act.code, act.actor, act.subject, act.ip_address, act.user_agent, act.metadata, act.at);
}

// The salt goes before its act: an entry with a salt and without an act would look like stolen evidence. An act
// may have got its entry since it was listed; the second statement then leaves it.
void ActRepository::add_erase(storage::Transaction& transaction, std::span<const ActId> ids) {
    static const std::string listed = "IN (" + storage::parameters(1, at_once) + ")";
    static const std::string clear = "UPDATE log_entries SET salt = NULL WHERE log = 'administration' AND id " + listed;
    static const std::string erase = "DELETE FROM administration_acts WHERE id " + listed +
                                     " AND id NOT IN (SELECT e.id FROM log_entries e WHERE e.log = 'administration' "
                                     "AND e.salt IS NOT NULL AND e.id " +
                                     listed + ")";
    for (std::size_t first = 0; first < ids.size(); first += at_once)
        for (const std::string* text : {&clear, &erase})
            transaction.add({storage::Expect::any, *text, padded(ids, first)});
}

// Each part stops at its limit, which an OR would not: the indexes have no order in common.
awaitable<std::vector<ActId>> ActRepository::list_about(UserId user, std::int64_t limit) {
    const auto rows = co_await database_.query(
        "SELECT id FROM (SELECT id FROM administration_acts WHERE actor_id = $1 LIMIT $2) AS done "
        "UNION SELECT id FROM (SELECT id FROM administration_acts WHERE subject_id = $1 LIMIT $2) AS suffered "
        "LIMIT $2",
        user, limit);
    co_return ids_of(rows);
}

// The salts of a portion go with its acts. If all salts went first, each portion would pass over the acts that wait.
awaitable<void> ActRepository::erase_older(TimePoint before, bool are_logged) {
    constexpr std::int64_t portion = 250;
    for (std::int64_t erased = portion; erased == portion;) {
        const auto rows = co_await database_.query(
            "SELECT id FROM administration_acts WHERE acted_at < $1 AND (is_logged OR NOT $2) ORDER BY acted_at "
            "LIMIT $3",
            before, are_logged, portion);
        if (rows.empty()) co_return;
        storage::Transaction transaction;
        add_erase(transaction, ids_of(rows));
        const auto outcome = co_await database_.commit(std::move(transaction));
        erased = outcome.committed ? outcome.results.back().affected() : 0;
    }
}

awaitable<std::vector<Act>> ActRepository::list_pending(std::int64_t limit) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", act_columns, " FROM administration_acts WHERE is_logged = FALSE ORDER BY id LIMIT $1">, limit);
    co_return act_columns.read_all(rows);
}

awaitable<std::uint64_t> ActRepository::count_unlogged() {
    std::uint64_t count = 0;
    for (Uuid after; after != Uuid::greatest();) {
        const Uuid last = co_await storage::end_of_portion(
            database_, "SELECT id FROM administration_acts WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 999", after);
        const auto rows = co_await database_.query(
            "SELECT count(*) FROM administration_acts a WHERE a.id > $1 AND a.id <= $2 AND a.is_logged = TRUE "
            "AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.id = a.id AND e.id > $1 AND e.id <= $2)",
            after, last);
        count += static_cast<std::uint64_t>(rows[0].integer(0));
        after = last;
    }
    co_return count;
}

void ActRepository::add_logged(storage::Transaction& transaction, ActId id) {
    transaction.add(Expect::one, "UPDATE administration_acts SET is_logged = TRUE WHERE id = $1 AND is_logged = FALSE",
                    id);
}

awaitable<std::vector<Act>> ActRepository::list(const std::vector<Uuid>& ids) {
    static const std::string text =
        std::string(sql<"SELECT ", act_columns, " FROM administration_acts WHERE id IN (">) +
        storage::parameters(1, at_once) + ")";
    std::vector<Act> out;
    for (std::size_t first = 0; first < ids.size(); first += at_once) {
        const auto rows = co_await database_.query_with(text, padded(ids, first));
        std::ranges::move(act_columns.read_all(rows), std::back_inserter(out));
    }
    co_return out;
}

}  // namespace consentry
