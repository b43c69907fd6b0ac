// Reads the project's own files for the rule tests. Paths are relative to the project root, with '/', which is the
// tests' working directory; all functions throw std::runtime_error where a file cannot be read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace consentry::rules {

// Every regular file below a folder, sorted; empty where the folder does not exist.
std::vector<std::string> files_below(const std::string& folder);

// Every file that belongs to the project, sorted: known to git or about to be (not ignored). Without git, or in a copy
// without history, everything but the folders that .gitignore names.
std::vector<std::string> project_files();

std::string read_file(const std::string& path);
std::vector<std::string> lines_of(std::string_view text);

bool is_source(std::string_view path);     // *.cpp, *.hpp
bool is_unit_test(std::string_view path);  // *_test.cpp
std::string file_name(std::string_view path);

// The line without its // comment.
std::string_view code_of(std::string_view line);

// What stands between each `before` and the next double quote, in code, not in comments:
// quoted_after(R"(.message(")", text) finds `user.logout` in `.message("user.logout")`. `before` counts only where no
// letter, digit or underscore precedes it.
std::vector<std::string> quoted_after(std::string_view before, std::string_view text);

}  // namespace consentry::rules
