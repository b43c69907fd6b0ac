// The accounts of other programs' exports, as an import takes them.
//
// What has no place here is noted and not guessed at: an unknown hash is left behind, and so is an identity at a
// provider that this service does not know. An account that was switched off comes as inactive: whether it is to be
// blocked for good is for people to say.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

// `kc.sh export --users realm_file`, or the files of `--users different_files`: one JSON document, held in memory.
std::unique_ptr<ImportSource> keycloak_export(std::istream& stream);

// One JSON object a line: what the users-exports job makes, or the export of password hashes that the support sends.
// With `hashes`, the latter, its hashes go to the accounts of the former; it is held in memory.
std::unique_ptr<ImportSource> auth0_export(std::istream& stream, std::istream* hashes);

// What the console shows as password hash parameters. The signer key is as secret as the hashes: it stands in each row.
struct FirebaseHashConfig {
    std::string signer_key;
    std::string salt_separator;
    std::string rounds;
    std::string memory_cost;

    // As the console writes it: lines of `name: value`. nullopt where one is missing, or another algorithm is meant.
    static std::optional<FirebaseHashConfig> read(std::istream& stream);
};
// `firebase auth:export users.json --format=json`: one JSON document, held in memory.
std::unique_ptr<ImportSource> firebase_export(std::istream& stream, FirebaseHashConfig config);

// The table auth.users as CSV. Whoever is banned at `now` comes as inactive.
std::unique_ptr<ImportSource> supabase_export(std::istream& stream, TimePoint now);

}  // namespace consentry
