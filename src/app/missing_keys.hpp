// Keys that an installation in APP_ENV=local has lost, for example because a backup without keys was restored. A start
// makes the keys of a new installation; beside data, others would hide that the former ones are missing.
#pragma once

#include <string>

#include "app/config/config.hpp"

namespace consentry {

// Says which keys are missing in DATA_DIR/keys beside data that were made with them, and what to do; empty if none is.
// Throws Unavailable if the database does not respond.
std::string missing_keys(const Config& config);

// For commands, none of which replaces keys. Throws WrongSettings if some are missing.
void require_keys(const Config& config);

// For a start, which replaces all keys but that of a log. Throws WrongSettings if that key is missing.
void require_key_of_log(const Config& config);

}  // namespace consentry
