// Where settings come from: the process environment, and a file named .env for those who like one.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

// Variables by name, ours and other programs'.
using Environment = std::map<std::string, std::string>;

Environment process_environment();

struct DotenvProblem {
    std::size_t line;  // from 1
    std::string text;  // never quotes the line: it may hold a secret
};

// KEY=VALUE lines, empty lines and # comments; `export ` before a name is skipped. A value stands bare (up to " #"
// or the end of the line, trimmed), in single quotes (taken as it is) or in double quotes (\n \r \t \" \\ \$ are
// escapes); quoted values may span lines. $NAME is not replaced. A name that stands twice is a problem.
std::expected<Environment, std::vector<DotenvProblem>> parse_dotenv(std::string_view text);

struct LoadedEnvironment {
    Environment values;
    std::set<std::string> from_file;  // the names whose value the file gave
};

// `process` completed from the file, which need not exist; what the process has wins. A file that is there but
// cannot be read is a problem of line 0.
std::expected<LoadedEnvironment, std::vector<DotenvProblem>> load_environment(
    Environment process, const std::filesystem::path& file = ".env");

}  // namespace consentry
