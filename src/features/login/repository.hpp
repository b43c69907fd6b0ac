// The SQL of logging in.
#pragma once

#include <cstdint>
#include <string_view>

#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

class LoginRepository {
public:
    // The first factor was given: the account's next challenge has the number that this statement returns. Expect::one:
    // the account did not change since it was read. `clear_attempts`: it was the password, whose counter and lock end.
    static void add_challenge(storage::Transaction& transaction, UserId user, std::int64_t security_version,
                              bool clear_attempts);

    // Expect::one: the account is active and still at `security_version`; a login begun before a security change does
    // not end after it (RAC-3). `clear_attempts`: this login gave the password.
    static void add_login(storage::Transaction& transaction, UserId user, std::int64_t security_version, LoginFrom from,
                          LoginWith with, std::string_view ip_address, bool clear_attempts, TimePoint now);
};

}  // namespace consentry
