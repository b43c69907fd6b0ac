// The settings that a configuration reports.
#pragma once

#include <string>
#include <vector>

#include "app/config/read_config.hpp"

namespace consentry::tests {

// Returns the names of the settings that stop the start, in the order of the report.
inline std::vector<std::string> problem_names(const Environment& environment) {
    std::vector<std::string> names;
    if (const auto config = read_config(environment); !config)
        for (const ConfigProblem& problem : config.error()) names.push_back(problem.setting);
    return names;
}

// Returns the names of the settings that cause a warning.
inline std::vector<std::string> warning_names(const Environment& environment) {
    std::vector<std::string> names;
    for (const ConfigProblem& warning : warnings(read_config(environment).value(), environment))
        names.push_back(warning.setting);
    return names;
}

}  // namespace consentry::tests
