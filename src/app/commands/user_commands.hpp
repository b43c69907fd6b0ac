// Account commands. Safe to run beside a running service: the database arbitrates.
#pragma once

#include <string>

#include "app/commands/command_support.hpp"

namespace consentry {

struct UserOptions {
    AccountChoice account;  // of all commands but `create`
    std::string email;      // of the account to create
    std::string role;
    std::string name;
    std::string provider;
    bool disable = false;
    bool yes = false;
    bool json = false;
};

int create_user(const UserOptions& options);
int list_users(const UserOptions& options);
int show_user(const UserOptions& options);
int set_password(const UserOptions& options);
int reset_two_factor(const UserOptions& options);
int list_identities(const UserOptions& options);
// Never lets the identity in again.
int unlink_identity(const UserOptions& options);

// The account's sessions end with the next request.
int block_user(const UserOptions& options);
// Lets a blocked or inactive account in again, without its old sessions.
int unblock_user(const UserOptions& options);
// Lifts the locks that wrong passwords and codes brought about.
int unlock_user(const UserOptions& options);
int delete_user(const UserOptions& options);

}  // namespace consentry
