// Secrets that the first start in APP_ENV=local generates below DATA_DIR/keys: signing keys, the two-factor key and the
// application's secret.
#pragma once

#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "base/clock.hpp"

namespace consentry {

// Creates DATA_DIR, accessible only to its owner. Throws WrongSettings if there can be no such folder.
void make_data_folder(const Config& config);

// Returns the configuration with its missing secrets read from the key folder, or generated there. Outside of local
// nothing is generated, because read_config() rejects a configuration without them.
Config with_local_secrets(Config config, const Clock& clock);

// The same for checks that modify nothing: missing secrets are generated for this process only.
Config with_passing_secrets(Config config);

// What with_local_secrets() would generate for want of any such key: names of files in the key folder, or
// "a key for access tokens".
std::vector<std::string> secrets_to_make(const Config& config);

}  // namespace consentry
