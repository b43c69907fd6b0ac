#include "app/commands/commands.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "app/commands/command_support.hpp"
#include "app/commands/settings_file.hpp"
#include "app/commands/table/outline.hpp"
#include "app/commands/table/table.hpp"
#include "app/version.hpp"
#include "base/error_text.hpp"
#include "base/standard_error.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {
namespace {

// Returns the full name of the last command that was recognized, as typed on the command line.
std::string called(const CLI::App& program, const CLI::App** last) {
    std::string out = "consentry";
    const CLI::App* at = &program;
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
        out += " " + at->get_name();
    }
    *last = at;
    return out;
}

// CLI11 would show the checks of a value and the options that exclude it beside the type, some of them twice.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override {
        const OutlinedOption outlined = outline(*option);
        return (outlined.value.empty() ? "" : " " + outlined.value) + (outlined.is_required ? " REQUIRED" : "");
    }
    // Most descriptions name the choices in words.
    std::string make_option_desc(const CLI::Option* option) const override {
        const OutlinedOption outlined = outline(*option);
        std::string out = outlined.says;
        if (!outlined.choices.empty() && !out.contains(outlined.choices.back()))
            out += fmt::format(": {}", fmt::join(outlined.choices, ", "));
        std::set<std::string> others;
        for (const CLI::Option* other : option->get_excludes()) others.insert(other->get_name());
        return others.empty() ? out : fmt::format("{} (not with {})", out, fmt::join(others, ", "));
    }
};

// A result that could not be written is not a success: a full disk, or a pipe without a reader.
int written(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    say("consentry: the results could not be written to standard output\n");
    return code == 0 ? 1 : code;
}

// Returns what is wrong with the words that no option or argument takes.
std::string trouble_with(const std::vector<std::string>& words) {
    if (words.size() > 1) return fmt::format("unexpected arguments: {}", fmt::join(words, " "));
    return fmt::format("{} {}", words.front().starts_with('-') ? "unknown option" : "unexpected argument",
                       words.front());
}

// Reports a command line error, or prints the help or version that was requested.
int refuse(const CLI::App& program, const CLI::ParseError& error) {
    // CLI11 prints help and version to standard output.
    if (error.get_exit_code() == 0) {
        program.exit(error);
        return written(0);
    }
    const CLI::App* command = nullptr;
    const std::string name = called(program, &command);
    const auto rest = program.remaining(true);
    if (std::ranges::any_of(rest, [](const std::string& one) { return one.starts_with("--env-file"); })) {
        say("consentry: --env-file must precede the command: `consentry --env-file FILE{}`.\n",
            name.substr(std::string_view("consentry").size()));
        return wrong_use;
    }
    // For an unknown word in place of a command, CLI11 reports only that a command is missing, without the word.
    if (error.get_name() == "RequiredError" && command->get_require_subcommand_min() > 0) {
        const auto word = std::ranges::find_if(rest, [](const std::string& one) { return !one.starts_with('-'); });
        const std::string trouble =
            word == rest.end() ? "missing command" : fmt::format("unknown command `{} {}`", name, *word);
        say("consentry: {}; run `{} --help` for a list of commands.\n", trouble, name);
        return wrong_use;
    }
    // The name of this error is that of the command.
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !rest.empty();
    say("consentry: {}; run `{} --help`.\n", is_extra ? trouble_with(rest) : error.what(), name);
    return wrong_use;
}

// A database or file that takes a standard descriptor that is closed would receive messages and results.
void occupy_standard_descriptors() {
    for (const int one : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(one, F_GETFD) != -1) continue;
        // Results must still fail to be written. Takes `one`, because lower ones are in use.
        if (::open("/dev/null", one == STDERR_FILENO ? O_WRONLY : O_RDONLY) != one) return;
    }
}

}  // namespace

int run_command_line(int argc, char** argv) {
    occupy_standard_descriptors();
    CLI::App program{"Consentry: an authentication and consent server", "consentry"};
    program.formatter(std::make_shared<HelpFormatter>());
    program.set_version_flag("--version", std::string("consentry ") + std::string(program_version()));
    program.require_subcommand(1);
    program.footer(
        fmt::format("Set settings with environment variables or in {}. `consentry config docs` describes all settings.",
                    settings_file().is_absolute() ? settings_file().string() : "a .env file"));
    static std::string file;
    program
        .add_option("--env-file", file, "Settings file to read instead of the default one; must precede the command")
        ->type_name("FILE")
        ->each([](const std::string& given) { choose_settings_file(given); });
    Selected selected;
    declare_commands(program, selected);

    // When a file must not grow any more (a quota), the write should fail with an error that can be reported, instead
    // of killing the process.
    std::signal(SIGXFSZ, SIG_IGN);
    // Standard output is reserved for results, so the log goes to standard error.
    spdlog::set_default_logger(spdlog::stderr_color_mt("consentry"));
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return refuse(program, error);
    }
    try {
        return written(selected.run());
    } catch (const WrongSettings& error) {
        say("consentry: {}\n", sentence_of(error));
        return wrong_use;
    } catch (const std::exception& error) {
        say("consentry: {}\n", sentence_of(error));
        return failed;
    }
}

}  // namespace consentry
