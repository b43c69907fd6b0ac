// Runs the program as an account that is not root, even if root runs the tests.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/support/process.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {

inline constexpr unsigned nobody = 65534;

// The account gets the folder, which it works in.
inline CommandResult run_without_root(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                                      const Settings& environment) {
    std::vector<std::string> words;
    if (::geteuid() == 0) {
        if (::chown(folder.c_str(), nobody, nobody) != 0) throw std::runtime_error("chown");
        words = {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"};
    }
    words.insert(words.end(), {"env", "-i", "-C", folder.string()});
    for (const auto& [name, value] : environment) words.push_back(name + "=" + value);
    words.emplace_back(CONSENTRY_PROGRAM);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_command(words);
}

}  // namespace consentry::tests
