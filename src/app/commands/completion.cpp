// All three scripts go through the words before the cursor to find the command that is meant, and offer what the table
// has for it. They call neither the program nor the network, so a completion is instant.
#include "app/commands/completion.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace consentry {
namespace {

// 'text', for all three shells; fish, too, ends a quotation at a quote only.
std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// The patterns of a case that goes on to a command below: 'consentry user' | 'consentry user create'.
std::string patterns_of_commands(const OutlinedCommand& program) {
    std::vector<std::string> out;
    for_each_command(program, [&](const OutlinedCommand& command) {
        if (command.name != program.name) out.push_back(in_quotes(command.name));
    });
    return fmt::to_string(fmt::join(out, " | "));
}

void for_each_valued(const OutlinedCommand& program, const auto& take) {
    for_each_command(program, [&](const OutlinedCommand& command) {
        for (const OutlinedOption& option : command.options)
            if (!option.is_argument() && !option.value.empty())
                take(in_quotes(command.name + " " + option.name), option);
    });
}

// What may be typed after a command: commands, options, and arguments with known values.
std::vector<std::string> words_of(const OutlinedCommand& command) {
    std::vector<std::string> out;
    for (const OutlinedCommand& one : command.commands) out.push_back(one.own_name());
    for (const OutlinedOption& option : command.options) {
        if (!option.is_argument()) out.push_back(option.name);
        if (option.is_argument()) out.insert(out.end(), option.choices.begin(), option.choices.end());
    }
    return out;
}

bool takes_path(const OutlinedCommand& command) {
    return std::ranges::any_of(
        command.options, [](const OutlinedOption& option) { return option.is_argument() && option.takes_path(); });
}

}  // namespace

std::string bash_completion(const OutlinedCommand& program) {
    std::string out = R"(# Completes consentry in bash. Made by `consentry completion bash`.
_consentry_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$1")
}

_consentry() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=consentry words= i
    COMPREPLY=()
    # --option=value arrives as three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case "$command ${COMP_WORDS[i]}" in
)";
    out += fmt::format("            {}) command+=\" ${{COMP_WORDS[i]}}\" ;;\n", patterns_of_commands(program));
    out += "        esac\n    done\n    case \"$command $before\" in\n";
    for_each_valued(program, [&](const std::string& pattern, const OutlinedOption& option) {
        if (option.takes_path())
            out += fmt::format("        {}) _consentry_files \"$word\"; return ;;\n", pattern);
        else if (option.choices.empty())
            out += fmt::format("        {}) return ;;\n", pattern);
        else
            out += fmt::format("        {}) mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\"); return ;;\n", pattern,
                               in_quotes(fmt::to_string(fmt::join(option.choices, " "))));
    });
    out += "    esac\n    case \"$command\" in\n";
    for_each_command(program, [&](const OutlinedCommand& command) {
        out += fmt::format("        {}) words={} ;;\n", in_quotes(command.name),
                           in_quotes(fmt::to_string(fmt::join(words_of(command), " "))));
    });
    out += R"(    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    case "$command" in
)";
    for_each_command(program, [&](const OutlinedCommand& command) {
        if (takes_path(command))
            out += fmt::format("        {}) [[ $word == -* ]] || _consentry_files \"$word\" ;;\n",
                               in_quotes(command.name));
    });
    return out + "    esac\n}\n\ncomplete -F _consentry consentry\n";
}

std::string zsh_completion(const OutlinedCommand& program) {
    // _describe splits an entry at the first colon that no backslash precedes.
    const auto entry = [](std::string_view word, std::string_view says) {
        std::string out;
        for (const char c : word) out += c == ':' ? std::string("\\:") : std::string(1, c);
        return in_quotes(fmt::format("{}:{}", out, says));
    };
    std::string out = R"(#compdef consentry
# Completes consentry in zsh. Made by `consentry completion zsh`.
_consentry() {
    local command=consentry i
    local -a entries
    for ((i = 2; i < CURRENT; ++i)); do
        case "$command $words[i]" in
)";
    out += fmt::format("            {}) command+=\" $words[i]\" ;;\n", patterns_of_commands(program));
    out += "        esac\n    done\n    case \"$command $words[CURRENT-1]\" in\n";
    for_each_valued(program, [&](const std::string& pattern, const OutlinedOption& option) {
        if (option.takes_path())
            out += fmt::format("        {}) _files; return ;;\n", pattern);
        else if (option.choices.empty())
            out += fmt::format("        {}) _message {}; return ;;\n", pattern, in_quotes(option.says));
        else
            out += fmt::format("        {}) compadd -- {}; return ;;\n", pattern, fmt::join(option.choices, " "));
    });
    out += "    esac\n    case \"$command\" in\n";
    for_each_command(program, [&](const OutlinedCommand& command) {
        std::vector<std::string> entries;
        for (const OutlinedCommand& one : command.commands) entries.push_back(entry(one.own_name(), one.says));
        for (const OutlinedOption& option : command.options) {
            if (!option.is_argument()) entries.push_back(entry(option.name, option.says));
            if (option.is_argument())
                for (const std::string& choice : option.choices) entries.push_back(entry(choice, option.says));
        }
        out += fmt::format("        {}) entries=({}){} ;;\n", in_quotes(command.name), fmt::join(entries, " "),
                           takes_path(command) ? "; _files" : "");
    });
    return out + "    esac\n    _describe consentry entries\n}\n\n_consentry \"$@\"\n";
}

std::string fish_completion(const OutlinedCommand& program) {
    std::vector<std::string> commands;
    for_each_command(program, [&](const OutlinedCommand& command) {
        if (command.name != program.name) commands.push_back(in_quotes(command.name));
    });
    std::string out = fmt::format(R"(# Completes consentry in fish. Made by `consentry completion fish`.
function __consentry_is
    set -l command consentry
    for word in (commandline -opc)[2..]
        switch "$command $word"
            case {}
                set command "$command $word"
        end
    end
    test "$command" = "$argv[1]"
end

complete -c consentry -f
)",
                                  fmt::join(commands, " "));
    for_each_command(program, [&](const OutlinedCommand& command) {
        const std::string begin =
            fmt::format("complete -c consentry -n {}", in_quotes(fmt::format("__consentry_is \"{}\"", command.name)));
        for (const OutlinedCommand& one : command.commands)
            out += fmt::format("{} -a {} -d {}\n", begin, one.own_name(), in_quotes(one.says));
        for (const OutlinedOption& option : command.options) {
            const std::string choices = fmt::to_string(fmt::join(option.choices, " "));
            std::string how;
            if (!option.is_argument()) how += " -l " + option.name.substr(2);
            if (option.takes_path())
                how += option.is_argument() ? " -F" : " -r -F";
            else if (!option.value.empty() && !option.is_argument())
                how += " -x";
            if (!choices.empty()) how += " -a " + in_quotes(choices);
            if (!how.empty()) out += fmt::format("{}{} -d {}\n", begin, how, in_quotes(option.says));
        }
    });
    return out;
}

}  // namespace consentry
