// The table of commands as plain data, for what is generated from it: completion and manual pages.
#pragma once

#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the name of the library
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace consentry {

struct OutlinedOption {
    std::string name;                  // "--email"; of an argument without dashes its name alone: "file"
    std::string value;                 // kind of the value: TEXT, FILE, FOLDER, INT; empty: a flag
    std::vector<std::string> choices;  // the only values that are accepted; empty: others
    std::string says;
    bool is_required = false;

    bool is_argument() const { return !name.starts_with('-'); }
    bool takes_path() const { return value == "FILE" || value == "FOLDER"; }
};

struct OutlinedCommand {
    std::string name;  // with those of its parents: "consentry user create"
    std::string says;
    std::vector<OutlinedOption> options;  // arguments first
    std::vector<OutlinedCommand> commands;

    std::string own_name() const { return name.substr(name.rfind(' ') + 1); }
};

OutlinedOption outline(const CLI::Option& option);
// Leaves out what help does not list.
OutlinedCommand outline(const CLI::App& program);

// Calls `take` with a command and everything below it, parents first.
template <class Take>
void for_each_command(const OutlinedCommand& command, const Take& take) {
    take(command);
    for (const OutlinedCommand& one : command.commands) for_each_command(one, take);
}

}  // namespace consentry
