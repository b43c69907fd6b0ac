// Reads the project's own files for the rule tests. Paths are relative to the project root, which is the tests' working
// directory, and use '/'. All functions throw std::runtime_error if a file cannot be read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace consentry::rules {

// Returns every regular file below a folder, sorted; empty if the folder does not exist.
std::vector<std::string> files_below(const std::string& folder);

// Returns every file of the project, sorted: known to git, or new and not ignored. Without git, or in a copy without
// history, it returns everything except the folders that .gitignore names.
std::vector<std::string> project_files();

std::string read_file(const std::string& path);
std::vector<std::string> lines_of(std::string_view text);

bool is_source(std::string_view path);     // *.cpp, *.hpp
bool is_unit_test(std::string_view path);  // *_test.cpp
bool is_word(char c);                      // a letter, a digit or an underscore
std::string file_name(std::string_view path);

// Returns the line without its // comment.
std::string_view code_of(std::string_view line);

// Returns source code on one line, without comments, with adjacent string literals joined and white space collapsed.
std::string joined_literals(std::string_view source);

// Returns the text between each `before` and the next double quote, in code but not in comments:
// quoted_after(R"(.message(")", text) finds `user.logout` in `.message("user.logout")`. `before` only matches if no
// letter, digit or underscore precedes it.
std::vector<std::string> quoted_after(std::string_view before, std::string_view text);

}  // namespace consentry::rules
