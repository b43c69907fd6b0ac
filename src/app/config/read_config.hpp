// Reads the configuration from the environment, checks it, and shows it to people.
#pragma once

#include <expected>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/dotenv.hpp"

namespace consentry {

// Reports all problems at once, so that a single start reveals all of them.
std::expected<Config, std::vector<ConfigProblem>> read_config(const Environment& environment);

// Returns values that are allowed but worth a log line at start. `environment` is the source of the configuration:
// variables in it that merely resemble a setting have no effect and are reported.
std::vector<ConfigProblem> warnings(const Config& config, const Environment& environment = {});

// A setting as people may see it: secrets are ***.
struct ShownSetting {
    std::string_view name;
    std::string value;
    std::string_view source;  // default, .env or environment
};
// Returns every setting. `from_file` holds the names whose value comes from the .env file. Also works on settings that
// read_config rejects.
std::vector<ShownSetting> shown_settings(const Environment& environment, const std::set<std::string>& from_file);
// The same as lines NAME=value with the source as a comment.
std::string print_config(const Environment& environment, const std::set<std::string>& from_file = {});

}  // namespace consentry
