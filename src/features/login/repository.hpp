// The SQL of logging in.
#pragma once

#include <cstdint>
#include <optional>
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

    struct Login {
        UserId user;
        // The generation in which the login began: a login begun before a security change does not end after it
        // (RAC-3).
        std::int64_t security_version = 0;
        std::optional<std::int64_t> epoch = {};  // of its challenge; without one it begins in the present epoch
        LoginFrom from = LoginFrom::website;
        LoginWith with = LoginWith::credential;
        std::string_view ip_address;
        bool clear_attempts = false;  // it gave the password
    };
    // Expect::one: the account is active and of that generation.
    static void add_login(storage::Transaction& transaction, const Login& login, TimePoint now);
};

}  // namespace consentry
