// Runs system commands to completion, such as those that start and stop real servers.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace consentry::tests {

using NamedValues = std::map<std::string, std::string>;

struct CommandResult {
    int code;  // -1: ended by a signal
    std::string out;
    std::string err;
};

// Adds `environment` to this process's environment; pass passwords there, because other users can see arguments.
// Returns when the command itself ends; its background processes may continue. Throws std::runtime_error if it cannot
// be started, or if the deadline passes and it is killed.
CommandResult run_command(const std::vector<std::string>& arguments, const NamedValues& environment = {},
                          std::chrono::milliseconds deadline = std::chrono::minutes{1});

// Runs a command that must succeed and returns its standard output. Throws std::runtime_error with its standard error.
std::string output_of(const std::vector<std::string>& arguments, const NamedValues& environment = {},
                      std::chrono::milliseconds deadline = std::chrono::minutes{1});

// Parses lines of the form NAME=value and skips all others.
NamedValues named_values(std::string_view text);

}  // namespace consentry::tests
