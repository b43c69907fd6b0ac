// Converts accounts from the exports of other programs into import rows.
//
// Data without a counterpart is noted and never guessed: an unknown hash is dropped, and so is an identity at a
// provider that this service does not support. A disabled account is imported as inactive; whether to block it
// permanently is left to an administrator.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

// The output of `kc.sh export --users realm_file`, or the files of `--users different_files`. It is one JSON document,
// held in memory.
std::unique_ptr<ImportSource> keycloak_export(std::istream& stream);

// One JSON object per line: the output of the users-exports job, or the export of password hashes from Auth0's support.
// With `hash_lines`, which is the latter, its hashes are added to the accounts of the former; it is held in memory.
std::unique_ptr<ImportSource> auth0_export(std::istream& stream, std::istream* hash_lines);

// The password hash parameters shown in the Firebase console. The signer key is stored in each row, so it is as
// confidential as the hashes.
struct FirebaseHashConfig {
    std::string signer_key;
    std::string salt_separator;
    std::string rounds;
    std::string memory_cost;

    // Reads the console's format, lines of `name: value`. Returns nullopt if a parameter is missing or the algorithm
    // differs.
    static std::optional<FirebaseHashConfig> read(std::istream& stream);
};
// The output of `firebase auth:export users.json --format=json`: one JSON document, held in memory.
std::unique_ptr<ImportSource> firebase_export(std::istream& stream, FirebaseHashConfig config);

// The table auth.users as CSV. Accounts banned at `now` are imported as inactive.
std::unique_ptr<ImportSource> supabase_export(std::istream& stream, TimePoint now);

}  // namespace consentry
