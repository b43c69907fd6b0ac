// consentry init: writes the settings of a new installation.
#pragma once

#include <string>

namespace consentry {

// Each is the text of a setting. Empty: taken from the environment variable of that name, or asked for at a terminal.
// Addresses of servers may contain passwords, so they are not options: other users can see the arguments of a process.
struct InitOptions {
    std::string public_url;
    std::string name;
    std::string data_dir;
    std::string host;
    std::string port;
    std::string trusted_proxies;
    std::string mail_from;
    bool yes = false;  // asks nothing: what is not given has its usual value
};

// Writes the file of settings (settings_file.hpp), readable by its owner alone, with new keys, for APP_ENV=production.
// Checks all of it first, and never replaces a file that has settings. The file appears complete or not at all.
int init(const InitOptions& options);

}  // namespace consentry
