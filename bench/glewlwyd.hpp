// Glewlwyd, a login server in C on SQLite that Debian packages, as a rival.
#pragma once

#include <string>
#include <vector>

#include "stage.hpp"

namespace consentry::bench {

class Glewlwyd {
public:
    // Starts it on a database of its own with accounts, each of which logs in once. Throws NotInstalled without it.
    explicit Glewlwyd(const Stage& stage);

    const Server& server() const { return server_; }
    std::vector<std::string> logins() const;
    const std::vector<std::string>& own_profiles() const { return own_profiles_; }  // GETs, by session

private:
    void add_accounts() const;
    void log_in();
    Server server_;
    std::vector<std::string> own_profiles_;
};

}  // namespace consentry::bench
