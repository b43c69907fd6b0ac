// The SQL of logging in.
#pragma once

#include <optional>

#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

class LoginRepository {
public:
    explicit LoginRepository(storage::Database& database) : database_(database) {}

    // The right password was given: counter and lock end, and the account's next challenge has this number.
    // nullopt: the account changed since it was read.
    awaitable<std::optional<std::int64_t>> next_challenge(UserId user, std::int64_t security_version);

    // Expect::one: the account is active and still at `security_version`; a login begun before a security change does
    // not end after it (RAC-3). `clear_attempts`: this login gave the password.
    static void add_login(storage::Transaction& transaction, UserId user, std::int64_t security_version, LoginFrom from,
                          LoginWith with, std::string_view ip_address, bool clear_attempts, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
