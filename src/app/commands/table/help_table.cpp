#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands/completion.hpp"
#include "app/commands/manual.hpp"
#include "app/commands/table/table.hpp"
#include "app/version.hpp"

namespace consentry {
namespace {

int print_completion(const CLI::App& program, const std::string& shell) {
    const OutlinedCommand outlined = outline(program);
    fmt::print("{}", shell == "bash"  ? bash_completion(outlined)
                     : shell == "zsh" ? zsh_completion(outlined)
                                      : fish_completion(outlined));
    return 0;
}

int write_manual(const CLI::App& program, const std::string& folder) {
    std::filesystem::create_directories(folder);
    for (const ManualPage& page : manual_pages(outline(program), program_version())) {
        const auto file = std::filesystem::path(folder) / page.file;
        std::ofstream out(file, std::ios::binary);
        out << page.text;
        out.close();
        if (!out) throw std::runtime_error(fmt::format("{} cannot be written", file.string()));
    }
    return 0;
}

}  // namespace

void add_help_commands(CLI::App& program, Selected& selected) {
    static std::string shell;
    CLI::App* completion =
        subcommand(program, "completion", "Prints a shell script that completes commands and options");
    completion->add_option("shell", shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>{"bash", "zsh", "fish"}));
    completion->callback(
        [&program, &selected] { selected.run = [&program] { return print_completion(program, shell); }; });

    // For packages. No group: help does not list it.
    static std::string folder;
    CLI::App* manual = subcommand(program, "manual", "Writes the manual pages into a folder")->group("");
    manual->add_option("folder", folder, "Folder; created if missing")->required()->type_name("FOLDER");
    manual->callback([&program, &selected] { selected.run = [&program] { return write_manual(program, folder); }; });
}

}  // namespace consentry
