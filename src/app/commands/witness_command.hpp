// `consentry witness`: a witness of transparency logs, which shares nothing with the service.
#pragma once

#include <string>

namespace consentry {

struct WitnessOptions {
    std::string database = "witness.db";
    std::string key_file;  // empty: the key is in CONSENTRY_WITNESS_KEY
    std::string listen = "localhost:3080";
    std::string logs;
};
// Starts only with a database that exists: a witness that has forgotten what it cosigned would cosign another log.
int serve_witness(const WitnessOptions& options);

// Creates a key in a new file and prints its public half. Creates the database, too, if it is missing.
int make_witness_key(const std::string& name, const std::string& file, const std::string& database, bool as_json);

}  // namespace consentry
