#include "features/forward_auth/repository.hpp"

#include "storage/portions.hpp"

namespace consentry {

awaitable<bool> SpentCodeRepository::spend(crypto::Sha256 digest, TimePoint expires_at) {
    const auto rows = co_await database_.execute(
        "INSERT INTO spent_forward_auth_codes (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
        BytesView(digest), expires_at);
    co_return rows.affected() == 1;
}

awaitable<void> SpentCodeRepository::erase_expired(TimePoint before) {
    return storage::execute_in_portions(
        database_,
        "DELETE FROM spent_forward_auth_codes WHERE digest IN (SELECT digest FROM spent_forward_auth_codes "
        "WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
        before);
}

}  // namespace consentry
