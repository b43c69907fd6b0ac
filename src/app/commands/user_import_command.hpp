// consentry user import: accounts from a table or another program's export, all of them or none, beside a running
// service.
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
    std::string firebase_hash_config;
    std::string auth0_password_hashes;
};
inline constexpr std::array<std::string_view, 5> import_formats{"csv", "keycloak", "auth0", "firebase", "supabase"};

// On standard output what is wrong, a line for each rule of each row; on standard error how far it is, where that is a
// terminal, and what came of it.
int import_users(const UserImportOptions& options);

}  // namespace consentry
