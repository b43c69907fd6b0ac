#include <CLI/CLI.hpp>

#include "app/commands/backup_commands.hpp"
#include "app/commands/clean_up_command.hpp"
#include "app/commands/config_commands.hpp"
#include "app/commands/doctor_command.hpp"
#include "app/commands/init_command.hpp"
#include "app/commands/key_commands.hpp"
#include "app/commands/serve_command.hpp"
#include "app/commands/table/table.hpp"

namespace consentry {

void add_serve_command(CLI::App& program, Selected& selected) {
    subcommand(program, "serve", "Runs the service; needs no setup with default settings")->callback([&selected] {
        selected.run = serve;
    });
}

void add_init_command(CLI::App& program, Selected& selected) {
    CLI::App* command =
        subcommand(program, "init",
                   "Writes the settings and keys of a new installation; asks for settings that have no value yet");
    static InitOptions options;
    command->add_option("--public-url", options.public_url, "URL at which clients reach the service (PUBLIC_URL)");
    command->add_option("--name", options.name, "Name of the service (APP_NAME)");
    command->add_option("--data-dir", options.data_dir, "Folder for all data (DATA_DIR)")->type_name("FOLDER");
    command->add_option("--host", options.host, "Address to listen on (HTTP_HOST)");
    command->add_option("--port", options.port, "Port to listen on (HTTP_PORT)");
    command->add_option("--trusted-proxies", options.trusted_proxies,
                        "Addresses of proxies in front of the service (HTTP_TRUSTED_PROXIES)");
    command->add_option("--mail-from", options.mail_from, "Sender address of emails (EMAIL_NO_REPLY)");
    command->add_flag("--yes", options.yes, "Do not ask; use options, environment variables and defaults");
    command->callback([&selected] { selected.run = [] { return init(options); }; });
}

void add_doctor_commands(CLI::App& program, Selected& selected) {
    CLI::App* command = subcommand(
        program, "doctor", "Examines the installation; reports what is unreachable, slow, near a limit or insecure");
    static bool as_json = false;
    add_json(*command, as_json);
    command->callback([&selected] { selected.run = [] { return doctor(as_json); }; });

    CLI::App* health = subcommand(program, "health", "Checks whether the running service is ready");
    static HealthOptions options;
    health->add_option("--url", options.url, "URL to check; by default, the one that the settings imply");
    health->add_option("--timeout", options.timeout_in_seconds, "Seconds to wait for the response; default 5")
        ->check(CLI::Range(1, 300));
    add_json(*health, options.json);
    health->callback([&selected] { selected.run = [] { return check_health(options); }; });
}

void add_clean_up_command(CLI::App& program, Selected& selected) {
    CLI::App* command =
        subcommand(program, "clean-up", "Runs all due cleanup tasks now; the service runs them periodically");
    static bool as_json = false;
    add_json(*command, as_json);
    command->callback([&selected] { selected.run = [] { return clean_up(as_json); }; });
}

void add_migrate_command(CLI::App& program, Selected& selected) {
    CLI::App* command = subcommand(program, "migrate", "Upgrades the database schema");
    static std::string from;
    CLI::Option* option = command->add_option(
        "--from", from,
        "Copy the SQLite database sqlite:PATH into the empty PostgreSQL database that DATABASE_URL names");
    static bool as_json = false;
    add_json(*command, as_json);
    command->callback([&selected, option] {
        if (option->count() == 0)
            selected.run = [] { return migrate(as_json); };
        else
            selected.run = [] { return migrate_from(from, as_json); };
    });
}

void add_backup_commands(CLI::App& program, Selected& selected) {
    CLI::App* backup = subcommand(
        program, "backup", "Copies the database and files of an installation on SQLite; the service may be running");
    static BackupOptions options;
    backup->add_option("folder", options.folder, "New or empty folder")->type_name("FOLDER")->required();
    backup->add_flag("--with-keys", options.with_keys,
                     "Also copy the key folder, which exists only with APP_ENV=local");
    add_json(*backup, options.json);
    backup->callback([&selected] { selected.run = [] { return back_up(options); }; });

    CLI::App* restoring =
        subcommand(program, "restore", "Restores a backup into an installation without data; checks the backup first");
    static RestoreOptions restored;
    restoring->add_option("folder", restored.folder, "Folder of the backup")->type_name("FOLDER")->required();
    CLI::Option* check = restoring->add_flag("--check", restored.check, "Only check the backup");
    restoring
        ->add_flag("--database-only", restored.database_only,
                   "Restore only the database; leave files and keys unchanged")
        ->excludes(check);
    add_json(*restoring, restored.json);
    restoring->callback([&selected] { selected.run = [] { return restore(restored); }; });
}

void add_config_commands(CLI::App& program, Selected& selected) {
    CLI::App* config = subcommand(program, "config", "Checks and prints settings");
    config->require_subcommand(1);
    const auto add = [&](const char* name, const char* says, int (*run)()) {
        subcommand(*config, name, says)->callback([&selected, run] { selected.run = run; });
    };
    static bool as_json = false;
    static CheckOptions checked;
    CLI::App* check = subcommand(*config, "check",
                                 "Checks whether the service would start with the current settings; changes nothing");
    check->add_flag("--running", checked.running,
                    "The service is running: skip the listening address, and expect its keys");
    check->add_flag("--socket", checked.socket,
                    "A service manager passes the listening socket to the service: skip the address");
    add_json(*check, checked.json);
    check->callback([&selected] { selected.run = [] { return check_config(checked); }; });
    CLI::App* print = subcommand(*config, "print", "Prints every setting and its source; masks secrets");
    add_json(*print, as_json);
    print->callback([&selected] { selected.run = [] { return print_settings(as_json); }; });
    add("docs", "Prints the documentation of all settings in Markdown", print_settings_documentation);
    add("env-example", "Prints an example .env file", print_settings_example);
}

void add_key_commands(CLI::App& program, Selected& selected) {
    CLI::App* keys = subcommand(program, "keys", "Manages signing and encryption keys");
    keys->require_subcommand(1);
    static bool as_json = false;
    const auto add = [&](const char* name, const char* says, int (*run)(bool as_json)) {
        CLI::App* command = subcommand(*keys, name, says);
        add_json(*command, as_json);
        command->callback([&selected, run] { selected.run = [run] { return run(as_json); }; });
    };
    add("generate", "Prints new keys as settings, for use outside APP_ENV=local", generate_keys);
    add("rotate", "Creates new signing keys in the key folder; former keys verify until their tokens expire",
        rotate_keys);

    CLI::App* epoch = subcommand(*keys, "epoch", "Manages the epoch of sessions, links, backup codes and API keys");
    epoch->require_subcommand(1);
    static bool keep_api_keys = false;
    CLI::App* raise = subcommand(
        *epoch, "raise",
        "Invalidates every session, link, login in progress, backup code and API key, after a leak or a restore");
    raise->add_flag("--keep-api-keys", keep_api_keys, "Keep API keys valid");
    add_json(*raise, as_json);
    raise->callback([&selected] { selected.run = [] { return raise_epoch(keep_api_keys, as_json); }; });
}

}  // namespace consentry
