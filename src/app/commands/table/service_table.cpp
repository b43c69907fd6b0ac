#include <CLI/CLI.hpp>

#include "app/commands/clean_up_command.hpp"
#include "app/commands/config_commands.hpp"
#include "app/commands/key_commands.hpp"
#include "app/commands/serve_command.hpp"
#include "app/commands/table/table.hpp"

namespace consentry {

void add_serve_command(CLI::App& program, Selected& selected) {
    subcommand(program, "serve", "Runs the service; needs no setup with default settings")->callback([&selected] {
        selected.run = serve;
    });
}

void add_clean_up_command(CLI::App& program, Selected& selected) {
    subcommand(program, "clean-up", "Runs all due cleanup tasks now; the service runs them periodically")
        ->callback([&selected] { selected.run = clean_up; });
}

void add_migrate_command(CLI::App& program, Selected& selected) {
    CLI::App* command = subcommand(program, "migrate", "Upgrades the database schema");
    static std::string from;
    CLI::Option* option = command->add_option(
        "--from", from, "Copy the SQLite database sqlite:PATH into the empty PostgreSQL database of DATABASE_URL");
    command->callback([&selected, option] {
        if (option->count() == 0)
            selected.run = migrate;
        else
            selected.run = [] { return migrate_from(from); };
    });
}

void add_config_commands(CLI::App& program, Selected& selected) {
    CLI::App* config = subcommand(program, "config", "Checks and prints settings");
    config->require_subcommand(1);
    const auto add = [&](const char* name, const char* says, int (*run)()) {
        subcommand(*config, name, says)->callback([&selected, run] { selected.run = run; });
    };
    static bool running = false;
    CLI::App* check = subcommand(*config, "check",
                                 "Checks whether the service would start with the current settings; changes nothing");
    check->add_flag("--running", running, "Skip the check of the listening address because the service is running");
    check->callback([&selected] { selected.run = [] { return check_config(running); }; });
    add("print", "Prints every setting and its source; masks secrets", print_settings);
    add("docs", "Prints the documentation of all settings in Markdown", print_settings_documentation);
    add("env-example", "Prints an example .env file", print_settings_example);
}

void add_key_commands(CLI::App& program, Selected& selected) {
    CLI::App* keys = subcommand(program, "keys", "Manages signing and encryption keys");
    keys->require_subcommand(1);
    subcommand(*keys, "generate", "Prints new keys as settings, for use outside APP_ENV=local")->callback([&selected] {
        selected.run = generate_keys;
    });
    subcommand(*keys, "rotate",
               "Creates new signing keys in the key folder; former keys verify until their tokens expire")
        ->callback([&selected] { selected.run = rotate_keys; });

    CLI::App* epoch = subcommand(*keys, "epoch", "Manages the epoch that all sessions and credentials belong to");
    epoch->require_subcommand(1);
    static bool keep_api_keys = false;
    CLI::App* raise = subcommand(
        *epoch, "raise",
        "Invalidates every session, link, login in progress, backup code and API key, after a leak or a restore");
    raise->add_flag("--keep-api-keys", keep_api_keys, "Keep API keys valid");
    raise->callback([&selected] { selected.run = [] { return raise_epoch(keep_api_keys); }; });
}

}  // namespace consentry
