#include "app/commands/commands.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "app/app.hpp"
#include "app/commands/api_key_commands.hpp"
#include "app/commands/clean_up_command.hpp"
#include "app/commands/config_commands.hpp"
#include "app/commands/key_commands.hpp"
#include "app/commands/policy_commands.hpp"
#include "app/commands/serve_command.hpp"
#include "app/commands/user_commands.hpp"
#include "app/commands/user_import_command.hpp"
#include "base/error_text.hpp"
#include "features/term_policies/policy.hpp"

namespace consentry {
namespace {

constexpr int wrong_use = 2;

// Commands that need the configuration read it themselves, so that --help and --version work with a broken one.
struct Selected {
    std::function<int()> run;
};

CLI::App* subcommand(CLI::App& parent, const std::string& name, const std::string& says) {
    CLI::App* command = parent.add_subcommand(name, says);
    command->require_subcommand(0, 1);
    return command;
}

void add_user_commands(CLI::App& program, Selected& selected) {
    CLI::App* user = subcommand(program, "user", "Accounts");
    user->require_subcommand(1);
    static UserOptions options;

    CLI::App* create =
        subcommand(*user, "create", "Creates an account, active and verified; reads the password from standard input");
    create->add_option("--email", options.email, "Its address")->required();
    create->add_option("--role", options.role, "user, admin, superAdmin or the name of a role that was made")
        ->required();
    create->add_option("--name", options.name, "For people to read");
    create->callback([&selected] { selected.run = [] { return create_user(options); }; });

    CLI::App* list = subcommand(*user, "list", "Prints all accounts: id, address, role, status, two-factor");
    list->callback([&selected] { selected.run = [] { return list_users(); }; });

    CLI::App* password = subcommand(*user, "password", "Passwords of accounts");
    password->require_subcommand(1);
    CLI::App* set = subcommand(*password, "set", "Sets a password, one line on standard input; ends all sessions");
    set->add_option("--email", options.email, "Of the account")->required();
    set->callback([&selected] { selected.run = [] { return set_password(options); }; });

    CLI::App* two_factor = subcommand(*user, "two-factor", "Second factors of accounts");
    two_factor->require_subcommand(1);
    CLI::App* reset =
        subcommand(*two_factor, "reset", "Makes the owner set up anew at the next login; ends all sessions");
    reset->add_option("--email", options.email, "Of the account")->required();
    reset->add_flag("--disable", options.disable, "Turn two-factor off instead");
    reset->callback([&selected] { selected.run = [] { return reset_two_factor(options); }; });
}

void add_user_import_command(CLI::App& program, Selected& selected) {
    static UserImportOptions options;
    CLI::App* command = subcommand(*program.get_subcommand("user"), "import",
                                   "Imports accounts from a file; if any row is invalid, imports none");
    command->add_option("file", options.file, "The file; - reads standard input")->required();
    command->add_option("--from", options.from, "What wrote it: csv, keycloak, auth0, firebase or supabase")
        ->check(CLI::IsMember(std::vector<std::string>(import_formats.begin(), import_formats.end())));
    command->add_flag("--dry-run", options.dry_run, "Only tell what is wrong");
    command->add_flag("--skip-existing", options.skip_existing, "Leave addresses alone that have an account");
    command->add_option("--firebase-hash-config", options.firebase_hash_config,
                        "File with the password hash parameters of the project, as the console shows them");
    command->add_option("--auth0-password-hashes", options.auth0_password_hashes,
                        "File with the password hashes, as the support sends it");
    command->callback([&selected] { selected.run = [] { return import_users(options); }; });
}

void add_api_key_commands(CLI::App& program, Selected& selected) {
    CLI::App* keys = subcommand(program, "apikey", "Keys that programs show in the header x-api-key");
    keys->require_subcommand(1);
    static ApiKeyOptions options;

    CLI::App* create = subcommand(*keys, "create", "Makes a key and prints it with its secret, only this once");
    create->add_option("--name", options.name, "For people to read")->required();
    create->add_option("--type", options.type, "default, or system for what is open to other services alone")
        ->required();
    create->callback([&selected] { selected.run = [] { return create_api_key(options); }; });

    CLI::App* list = subcommand(*keys, "list", "Prints all keys: key, type, state (on, off, not-yet, over), name");
    list->callback([&selected] { selected.run = [] { return list_api_keys(); }; });

    CLI::App* erase = subcommand(*keys, "delete", "Deletes a key; it is refused from the next request on");
    erase->add_option("--key", options.key, "What stands before the colon")->required();
    erase->callback([&selected] { selected.run = [] { return delete_api_key(options); }; });
}

void add_policy_commands(CLI::App& program, Selected& selected) {
    CLI::App* policy = subcommand(program, "policy", "Terms of service and other documents that users accept");
    policy->require_subcommand(1);
    static PolicyOptions options;
    const auto add_type = [](CLI::App& command) {
        command.add_option("type", options.type, "termsOfService, privacy, marketing or cookies")
            ->required()
            ->check(CLI::IsMember(std::vector<std::string>{"termsOfService", "privacy", "marketing", "cookies"}));
    };
    const auto add_version = [](CLI::App& command, const char* name, std::int64_t& version) {
        command.add_option(name, version, "A version")
            ->required()
            ->check(CLI::Range(std::int64_t{1}, policy_version_max));
    };

    CLI::App* import = subcommand(*policy, "import", "Makes drafts of all texts of a folder, or of none of them");
    import->add_option("folder", options.folder, "Its texts are type/version/language.hbs")->required();
    import->add_flag("--dry-run", options.dry_run, "Only tell what would be done, and what is wrong");
    import->callback([&selected] { selected.run = [] { return import_policies(options); }; });

    CLI::App* publish = subcommand(*policy, "publish", "Publishes a draft, for good; prints its hashes and addresses");
    add_type(*publish);
    add_version(*publish, "version", options.version);
    publish->add_flag("--preview", options.preview, "Only tell how many users would have to accept again");
    publish->callback([&selected] { selected.run = [] { return publish_policy(options); }; });

    CLI::App* list = subcommand(*policy, "list",
                                "Prints all documents: type, version, state (draft, published, latest), languages, "
                                "time of publication");
    list->callback([&selected] { selected.run = list_policies; });

    CLI::App* diff = subcommand(*policy, "diff", "Prints where the texts of two versions differ");
    add_type(*diff);
    add_version(*diff, "version", options.version);
    add_version(*diff, "other", options.other_version);
    diff->add_option("--language", options.language, "Of both texts; en where none is named")
        ->check(CLI::IsMember(std::vector<std::string>(language_names.begin(), language_names.end())));
    diff->callback([&selected] { selected.run = [] { return diff_policies(options); }; });
}

void add_migrate_command(CLI::App& program, Selected& selected) {
    CLI::App* command = subcommand(program, "migrate", "Brings the database's schema up to date");
    static std::string from;
    CLI::Option* option = command->add_option(
        "--from", from,
        "sqlite:PATH of a database that is then copied into the one of DATABASE_URL, an empty one of PostgreSQL");
    command->callback([&selected, option] {
        if (option->count() == 0)
            selected.run = migrate;
        else
            selected.run = [] { return migrate_from(from); };
    });
}

void add_config_commands(CLI::App& program, Selected& selected) {
    CLI::App* config = subcommand(program, "config", "Settings");
    config->require_subcommand(1);
    const auto add = [&](const char* name, const char* says, int (*run)()) {
        subcommand(*config, name, says)->callback([&selected, run] { selected.run = run; });
    };
    static bool running = false;
    CLI::App* check =
        subcommand(*config, "check", "Tells whether the service would start with these settings; changes nothing");
    check->add_flag("--running", running, "The service runs already: leave its address out");
    check->callback([&selected] { selected.run = [] { return check_config(running); }; });
    add("print", "Prints every setting and where it comes from, secrets masked", print_settings);
    add("docs", "Prints the documentation of all settings (Markdown)", print_settings_documentation);
    add("env-example", "Prints an example .env file", print_settings_example);
}

void add_key_commands(CLI::App& program, Selected& selected) {
    CLI::App* keys = subcommand(program, "keys", "Signing and encryption keys");
    keys->require_subcommand(1);
    subcommand(*keys, "generate", "Prints new keys as settings, for environments other than local")
        ->callback([&selected] { selected.run = generate_keys; });
    subcommand(*keys, "rotate", "Makes new signing keys in the key folder; former ones verify until their tokens end")
        ->callback([&selected] { selected.run = rotate_keys; });

    CLI::App* epoch = subcommand(*keys, "epoch", "The epoch that everything granted belongs to");
    epoch->require_subcommand(1);
    static bool keep_api_keys = false;
    CLI::App* raise =
        subcommand(*epoch, "raise",
                   "Ends every session, link, login in progress, backup code and API key; for a leak or a restore");
    raise->add_flag("--keep-api-keys", keep_api_keys, "Leave API keys as they are");
    raise->callback([&selected] { selected.run = [] { return raise_epoch(keep_api_keys); }; });
}

// The command whose words were understood, as it is called.
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

// Tells what was wrong with the words of the command line, or what they asked to be told.
int refuse(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App* command = nullptr;
    const std::string name = called(program, &command);
    // A word where a command is due: CLI11 says that a command is missing, and not a word of the one that is there.
    if (error.get_name() == "RequiredError" && command->get_require_subcommand_min() > 0) {
        const auto rest = program.remaining(true);
        const auto word = std::ranges::find_if(rest, [](const std::string& one) { return !one.starts_with('-'); });
        const std::string trouble =
            word == rest.end() ? "a command is missing" : fmt::format("there is no command `{} {}`", name, *word);
        fmt::print(stderr, "consentry: {}; `{} --help` lists the commands.\n", trouble, name);
        return wrong_use;
    }
    // CLI11 prints help and version to standard output and knows that they are no fault.
    return program.exit(error) == 0 ? 0 : wrong_use;
}

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App program{"Consentry: logs people in and proves what they agreed to"};
    program.set_version_flag("--version", std::string("consentry ") + std::string(program_version()));
    program.require_subcommand(1);
    program.footer(
        "Settings are environment variables, or lines of a file .env: `consentry config docs` tells them all.");
    Selected selected;
    subcommand(program, "serve", "Runs the service; works in an empty folder")->callback([&selected] {
        selected.run = serve;
    });
    add_migrate_command(program, selected);
    add_user_commands(program, selected);
    add_user_import_command(program, selected);
    add_api_key_commands(program, selected);
    add_policy_commands(program, selected);
    subcommand(program, "clean-up", "Erases and sweeps at once what is due; the service does so now and then")
        ->callback([&selected] { selected.run = clean_up; });
    add_config_commands(program, selected);
    add_key_commands(program, selected);

    // A file that may not grow any more (a quota) is a failed write, which is answered, and not the end of the process.
    std::signal(SIGXFSZ, SIG_IGN);
    // Standard output is for results.
    spdlog::set_default_logger(spdlog::stderr_color_mt("consentry"));
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return refuse(program, error);
    }
    try {
        return selected.run();
    } catch (const std::exception& error) {
        fmt::print(stderr, "consentry: {}\n", sentence_of(error));
        return 1;
    }
}

}  // namespace consentry
