#include "features/login/repository.hpp"

#include "features/users/generations.hpp"
#include "features/users/password_attempts.hpp"

namespace consentry {

void LoginRepository::add_challenge(storage::Transaction& transaction, UserId user, std::int64_t security_version,
                                    bool clear_attempts) {
    transaction.add(storage::Expect::one,
                    storage::sql<"UPDATE users SET challenge_seq = challenge_seq + 1, ", clear_attempts_if_sql<"$3">,
                                 " WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL "
                                 "RETURNING challenge_seq">,
                    user, security_version, clear_attempts);
}

void LoginRepository::add_login(storage::Transaction& transaction, const Login& login, TimePoint now) {
    transaction.add(
        storage::Expect::one,
        storage::sql<
            "UPDATE users SET last_login_at = $3, last_login_from = $4, last_login_with = $5, last_ip_address = $6, ",
            clear_attempts_if_sql<"$7">,
            " WHERE id = $1 AND security_version = $2 AND status = 'active' AND is_verified = TRUE "
            "AND deleted_at IS NULL AND (CAST($8 AS BIGINT) IS NULL OR CAST($8 AS BIGINT) = ",
            epoch_sql, ")">,
        login.user, login.security_version, now, name_of(login.from), name_of(login.with), login.ip_address,
        login.clear_attempts, login.epoch);
}

}  // namespace consentry
