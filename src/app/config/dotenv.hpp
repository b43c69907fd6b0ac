// Sources of the settings: the process environment and an optional .env file.
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

// Variables by name, including those of other programs.
using Environment = std::map<std::string, std::string>;

Environment process_environment();

struct DotenvProblem {
    std::size_t line;  // from 1; 0: of the file as a whole
    std::string text;  // never quotes the line, which may contain a secret
};

// Parses KEY=VALUE lines, empty lines and # comments; skips `export ` before a name. A value is bare (up to " #" or the
// end of the line, trimmed), in single quotes (literal) or in double quotes (with the escapes \n \r \t \" \\ \$);
// quoted values may span lines. $NAME is not expanded. A duplicate name is a problem.
std::expected<Environment, std::vector<DotenvProblem>> parse_dotenv(std::string_view text);

struct LoadedEnvironment {
    Environment values;
    std::set<std::string> from_file;  // names whose value comes from the file
};

// Adds the variables of the file, which need not exist, to `process`; the process environment takes precedence. A file
// that exists but cannot be read is a problem of line 0.
std::expected<LoadedEnvironment, std::vector<DotenvProblem>> load_environment(Environment process,
                                                                              const std::filesystem::path& file);

}  // namespace consentry
