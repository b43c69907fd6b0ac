// Commands about the sessions of an account.
#pragma once

#include <string>

#include "app/commands/command_support.hpp"

namespace consentry {

struct SessionOptions {
    AccountChoice account;
    std::string session;  // ID of the session to end
    bool all = false;     // list: ended sessions, too; revoke: every live session
    bool json = false;
};

int list_sessions(const SessionOptions& options);
// Takes effect at the next request.
int revoke_sessions(const SessionOptions& options);

}  // namespace consentry
