// consentry backup and restore, for installations on SQLite.
#pragma once

#include <string>

namespace consentry {

struct BackupOptions {
    std::string folder;
    bool with_keys = false;
    bool json = false;
};
struct RestoreOptions {
    std::string folder;
    bool database_only = false;  // files and keys stay as they are
    bool check = false;          // restores nothing
    bool json = false;
};

// Beside a running service, too.
int back_up(const BackupOptions& options);
// Checks the whole backup first, and writes only where nothing is.
int restore(const RestoreOptions& options);

}  // namespace consentry
