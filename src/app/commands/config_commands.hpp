// Commands about settings and the schema, and the settings loader that all commands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"

namespace consentry {

// What reading the settings has found. There is a configuration unless there are problems.
struct FoundSettings {
    std::optional<Config> config;
    std::vector<ConfigProblem> problems;  // under the setting, the file of settings, or --env-file
    std::vector<ConfigProblem> warnings;
};
// Reports nothing.
FoundSettings find_settings();

// Loads the settings from the environment and the file of settings (settings_file.hpp). Reports all problems together
// on standard error and returns nullopt; the command then ends with exit code 2. Warnings are reported as well but do
// not fail the load. If root runs the command, it then acts as the owner of the data folder.
std::optional<Config> load_config();
// The same for commands that need the rights of root, if they have them.
std::optional<Config> read_settings();

// Modifies nothing. `running`: the service is already listening.
int check_config(bool running, bool as_json);
int print_settings(bool as_json);
int print_settings_documentation();
int print_settings_example();
int migrate(bool as_json);
// Copies the SQLite database at sqlite:PATH into the PostgreSQL database of the settings (copy_database.hpp).
int migrate_from(const std::string& address, bool as_json);

}  // namespace consentry
