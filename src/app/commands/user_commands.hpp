// Account commands. Safe to run beside a running service: the database arbitrates.
#pragma once

#include <string>

namespace consentry {

struct UserOptions {
    std::string email;
    std::string role;
    std::string name;
    bool disable = false;
};

int create_user(const UserOptions& options);
int list_users();
int set_password(const UserOptions& options);
int reset_two_factor(const UserOptions& options);

}  // namespace consentry
