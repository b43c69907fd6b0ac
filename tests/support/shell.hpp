// Commands of the system, run to their end: what starts and stops real servers.
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

// With this process's environment and what `environment` adds: the place for passwords, which arguments are not.
// Returns when the command itself ends; what it left running in the background may go on. Throws std::runtime_error
// where it cannot be started, or does not end in time and is killed.
CommandResult run_command(const std::vector<std::string>& arguments, const NamedValues& environment = {},
                          std::chrono::milliseconds deadline = std::chrono::minutes{1});

// The same for one that must succeed: its standard output. Throws std::runtime_error with its standard error.
std::string output_of(const std::vector<std::string>& arguments, const NamedValues& environment = {},
                      std::chrono::milliseconds deadline = std::chrono::minutes{1});

// What stands in lines NAME=value; other lines are left out.
NamedValues named_values(std::string_view text);

}  // namespace consentry::tests
