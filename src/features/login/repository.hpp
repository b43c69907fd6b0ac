// The SQL of logins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

class LoginRepository {
public:
    // Records that the first factor was given. The statement returns the number of the account's next challenge.
    // Expect::one: the account has not changed since it was read. `clear_attempts` resets the counter of wrong
    // passwords and the lock; set it if the first factor was the password.
    static void add_challenge(storage::Transaction& transaction, UserId user, std::int64_t security_version,
                              bool clear_attempts);

    struct Login {
        UserId user;
        // The generation in which the login started: a login started before a security change must not complete after
        // it (RAC-3).
        std::int64_t security_version = 0;
        std::optional<std::int64_t> epoch = {};  // of the challenge; without one, the current epoch
        LoginFrom from = LoginFrom::website;
        LoginWith with = LoginWith::credential;
        std::string_view ip_address;
        bool clear_attempts = false;  // the login gave the password
    };
    // Expect::one: the account is active and still of that generation.
    static void add_login(storage::Transaction& transaction, const Login& login, TimePoint now);
};

}  // namespace consentry
