// consentry user import: imports accounts from a table or from another program's export, all or nothing, beside a
// running service.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace consentry {

struct UserImportOptions {
    std::string file;  // "-": standard input
    std::string from = "csv";
    bool dry_run = false;
    bool skip_existing = false;
    bool json = false;
    std::string firebase_hash_config;
    std::string auth0_password_hashes;
};
inline constexpr std::array<std::string_view, 5> import_formats{"csv", "keycloak", "auth0", "firebase", "supabase"};

// Prints one line per broken rule and row to standard output, or all of the report as JSON. Standard error gets the
// progress, if it is a terminal, and the outcome.
int import_users(const UserImportOptions& options);

}  // namespace consentry
