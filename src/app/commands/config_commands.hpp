// Commands about settings and the schema, and the reading of settings that all commands share.
#pragma once

#include <optional>
#include <string>

#include "app/config/config.hpp"

namespace consentry {

// From the environment and .env. Problems are told on standard error, all at once; then nullopt, and the command
// ends with exit code 2. Warnings are told as well, and do not matter.
std::optional<Config> load_config();

// Changes nothing, anywhere. `running`: the service is listening already.
int check_config(bool running);
int print_settings();
int print_settings_documentation();
int print_settings_example();
int migrate();
// Copies the SQLite database sqlite:PATH into the PostgreSQL database of the settings (copy_database.hpp).
int migrate_from(const std::string& address);

}  // namespace consentry
