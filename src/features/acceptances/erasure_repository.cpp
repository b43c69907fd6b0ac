#include "features/acceptances/erasure_repository.hpp"

#include <chrono>

#include "features/consent_log/repository.hpp"

namespace consentry {

using storage::Expect;

awaitable<std::size_t> ConsentErasureRepository::add_erase(storage::Transaction& transaction, UserId user,
                                                           TimePoint now, std::int64_t portion) {
    const auto subject = co_await subjects_.find(user);
    if (subject) {
        const ErasureEntry entry{.time = std::chrono::floor<std::chrono::seconds>(now), .subject = *subject};
        ConsentLogRepository::add_erasure(transaction, format_entry(entry), now);
    }
    SubjectRepository::add_erase(transaction, user, subject);
    // Both statements choose the same rows.
    transaction.add(Expect::any,
                    "UPDATE log_entries SET salt = NULL WHERE id IN (SELECT a.id FROM term_policy_acceptances a "
                    "WHERE a.user_id = $1 AND EXISTS (SELECT 1 FROM users u WHERE u.id = $1 "
                    "AND u.erased_at IS NOT NULL) ORDER BY a.accepted_at, a.id LIMIT $2)",
                    user, portion);
    transaction.add(Expect::any,
                    "DELETE FROM term_policy_acceptances WHERE id IN (SELECT a.id FROM term_policy_acceptances a "
                    "WHERE a.user_id = $1 AND EXISTS (SELECT 1 FROM users u WHERE u.id = $1 "
                    "AND u.erased_at IS NOT NULL) ORDER BY a.accepted_at, a.id LIMIT $2)",
                    user, portion);
    co_return transaction.statements().size() - 1;
}

}  // namespace consentry
