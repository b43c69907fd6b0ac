// Loads the settings for the commands, and reports what is wrong with them.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/dotenv.hpp"

namespace consentry {

// The texts of the settings, from the environment and the file of settings (settings_file.hpp). Problems are under that
// file, or under the option that names it.
std::expected<LoadedEnvironment, std::vector<ConfigProblem>> load_texts();

// The problems with the file of settings as load_texts() returns them.
std::vector<ConfigProblem> problems_of_file(const std::vector<DotenvProblem>& problems);

// What reading the settings has found. There is a configuration unless there are problems.
struct FoundSettings {
    std::optional<Config> config;
    std::vector<ConfigProblem> problems;  // under the setting, the file of settings, or --env-file
    std::vector<ConfigProblem> warnings;
};
// Reports nothing.
FoundSettings find_settings();

// Loads the settings. Reports all problems together on standard error and returns nullopt; the command then ends with
// exit code 2. Warnings are reported as well but do not fail the load. If root runs the command, it then acts as the
// owner of the data folder.
std::optional<Config> load_config();
// The same for commands that need the rights of root, if they have them.
std::optional<Config> read_settings();

// On standard error, a line for each.
void report(const std::vector<ConfigProblem>& problems);
void report_warnings(const std::vector<ConfigProblem>& warnings);

}  // namespace consentry
