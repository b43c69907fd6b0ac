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
#include "app/commands/consent_commands.hpp"
#include "app/commands/key_commands.hpp"
#include "app/commands/log_commands.hpp"
#include "app/commands/policy_commands.hpp"
#include "app/commands/serve_command.hpp"
#include "app/commands/user_commands.hpp"
#include "app/commands/user_import_command.hpp"
#include "app/commands/verify_commands.hpp"
#include "app/commands/witness_command.hpp"
#include "base/error_text.hpp"
#include "features/term_policies/policy.hpp"

namespace consentry {
namespace {

constexpr int wrong_use = 2;

// Commands that need the configuration load it themselves, so that --help and --version work even if it is invalid.
struct Selected {
    std::function<int()> run;
};

CLI::App* subcommand(CLI::App& parent, const std::string& name, const std::string& says) {
    CLI::App* command = parent.add_subcommand(name, says);
    command->require_subcommand(0, 1);
    return command;
}

void add_user_commands(CLI::App& program, Selected& selected) {
    CLI::App* user = subcommand(program, "user", "Manages accounts");
    user->require_subcommand(1);
    static UserOptions options;

    CLI::App* create =
        subcommand(*user, "create", "Creates an active, verified account; reads its password from standard input");
    create->add_option("--email", options.email, "Email address of the account")->required();
    create->add_option("--role", options.role, "user, admin, superAdmin or the name of a custom role")->required();
    create->add_option("--name", options.name, "Display name of the account");
    create->callback([&selected] { selected.run = [] { return create_user(options); }; });

    CLI::App* list = subcommand(*user, "list", "Lists all accounts: ID, email address, role, status, two-factor");
    list->callback([&selected] { selected.run = [] { return list_users(); }; });

    CLI::App* password = subcommand(*user, "password", "Manages passwords of accounts");
    password->require_subcommand(1);
    CLI::App* set =
        subcommand(*password, "set", "Sets a password, read as one line from standard input; ends all sessions");
    set->add_option("--email", options.email, "Email address of the account")->required();
    set->callback([&selected] { selected.run = [] { return set_password(options); }; });

    CLI::App* two_factor = subcommand(*user, "two-factor", "Manages two-factor authentication of accounts");
    two_factor->require_subcommand(1);
    CLI::App* reset =
        subcommand(*two_factor, "reset", "Requires a new two-factor setup at the next login; ends all sessions");
    reset->add_option("--email", options.email, "Email address of the account")->required();
    reset->add_flag("--disable", options.disable, "Turn two-factor authentication off instead");
    reset->callback([&selected] { selected.run = [] { return reset_two_factor(options); }; });
}

void add_user_import_command(CLI::App& program, Selected& selected) {
    static UserImportOptions options;
    CLI::App* command = subcommand(*program.get_subcommand("user"), "import",
                                   "Imports accounts from a file; if any row is invalid, imports none");
    command->add_option("file", options.file, "Path of the file; - reads standard input")->required();
    command->add_option("--from", options.from, "Format of the file: csv, keycloak, auth0, firebase or supabase")
        ->check(CLI::IsMember(std::vector<std::string>(import_formats.begin(), import_formats.end())));
    command->add_flag("--dry-run", options.dry_run, "Check the file without importing it");
    command->add_flag("--skip-existing", options.skip_existing, "Skip rows whose email address already has an account");
    command->add_option("--firebase-hash-config", options.firebase_hash_config,
                        "File with the password hash parameters shown in the Firebase console");
    command->add_option("--auth0-password-hashes", options.auth0_password_hashes,
                        "File with the password hashes sent by Auth0 support");
    command->callback([&selected] { selected.run = [] { return import_users(options); }; });
}

void add_api_key_commands(CLI::App& program, Selected& selected) {
    CLI::App* keys = subcommand(program, "apikey", "Manages API keys, which programs send in the x-api-key header");
    keys->require_subcommand(1);
    static ApiKeyOptions options;

    CLI::App* create =
        subcommand(*keys, "create", "Creates an API key and prints it with its secret, which is shown only once");
    create->add_option("--name", options.name, "Description of the key")->required();
    create->add_option("--type", options.type, "default, or system for endpoints that only other services may call")
        ->required();
    create->callback([&selected] { selected.run = [] { return create_api_key(options); }; });

    CLI::App* list = subcommand(*keys, "list", "Lists all API keys: key, type, state (on, off, not-yet, over), name");
    list->callback([&selected] { selected.run = [] { return list_api_keys(); }; });

    CLI::App* erase = subcommand(*keys, "delete", "Deletes an API key; takes effect with the next request");
    erase->add_option("--key", options.key, "The part of the API key before the colon")->required();
    erase->callback([&selected] { selected.run = [] { return delete_api_key(options); }; });
}

void add_policy_commands(CLI::App& program, Selected& selected) {
    CLI::App* policy = subcommand(program, "policy", "Manages terms of service and other policies that users accept");
    policy->require_subcommand(1);
    static PolicyOptions options;
    const auto add_type = [](CLI::App& command) {
        command.add_option("type", options.type, "termsOfService, privacy, marketing or cookies")
            ->required()
            ->check(CLI::IsMember(std::vector<std::string>{"termsOfService", "privacy", "marketing", "cookies"}));
    };
    const auto add_version = [](CLI::App& command, const char* name, std::int64_t& version) {
        command.add_option(name, version, "Version number")
            ->required()
            ->check(CLI::Range(std::int64_t{1}, policy_version_max));
    };

    CLI::App* import = subcommand(*policy, "import",
                                  "Creates drafts from all texts in a folder; if any text is invalid, creates none");
    import
        ->add_option("folder", options.folder,
                     "Folder with texts named type/version/language.hbs, and type/version/processing.json")
        ->required();
    import->add_option("--values", options.values,
                       "JSON object with the values of {{placeholders}} (default: values.json in the folder)");
    import->add_flag("--dry-run", options.dry_run, "Check the texts and show the planned changes without making them");
    import->callback([&selected] { selected.run = [] { return import_policies(options); }; });

    CLI::App* publish = subcommand(*policy, "publish", "Publishes a draft permanently; prints its hashes and URLs");
    add_type(*publish);
    add_version(*publish, "version", options.version);
    CLI::Option* preview =
        publish->add_flag("--preview", options.preview, "Only print how many users would have to accept again");
    CLI::Option* not_material = publish->add_option(
        "--not-material", options.not_material,
        "The reason why earlier acceptances continue to hold, such as a corrected typing error; public");
    publish
        ->add_option("--grace", options.grace_in_days,
                     "For this many days, users who accepted an earlier version are still admitted")
        ->check(CLI::Range(std::int64_t{0}, grace_days_max))
        ->excludes(not_material);
    preview->excludes(not_material);
    publish->callback([&selected] { selected.run = [] { return publish_policy(options); }; });

    CLI::App* list =
        subcommand(*policy, "list",
                   "Lists all policies: type, version, state (draft, published, latest), languages, publication time");
    list->callback([&selected] { selected.run = list_policies; });

    CLI::App* diff = subcommand(*policy, "diff", "Compares the texts of two versions");
    add_type(*diff);
    add_version(*diff, "version", options.version);
    add_version(*diff, "other", options.other_version);
    diff->add_option("--language", options.language, "Language of both texts; default en")
        ->check(CLI::IsMember(std::vector<std::string>(language_names.begin(), language_names.end())));
    diff->add_flag("--html", options.html, "Print the page that shows users what changed");
    diff->callback([&selected] { selected.run = [] { return diff_policies(options); }; });
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

void add_consent_commands(CLI::App& program, Selected& selected) {
    CLI::App* consent = subcommand(program, "consent", "Hands out what the consent log proves");
    consent->require_subcommand(1);
    static ConsentExportOptions options;
    CLI::App* command = subcommand(*consent, "export", "Writes a bundle for auditors, as a ZIP archive");
    command->add_option("--out", options.out, "File to write")->required();
    command->add_option("--user", options.user, "Account ID: only entries about this account");
    command->add_option("--type", options.type, "Only entries about this policy type")
        ->check(CLI::IsMember(std::vector<std::string>{"termsOfService", "privacy", "marketing", "cookies"}));
    command->add_option("--from", options.from, "Only entries from this day or time on (UTC)");
    command->add_option("--to", options.to, "Only entries up to and including this day (UTC), or before this time");
    command->add_flag("--without-addenda", options.without_addenda,
                      "Leave out the evidence, which names account, session, network address and program");
    command->callback([&selected] { selected.run = [] { return export_consent(options); }; });
}

void add_verify_commands(CLI::App& program, Selected& selected) {
    CLI::App* verify = subcommand(program, "verify", "Verifies records of consent");
    verify->require_subcommand(1);
    static VerifyOptions options;
    const auto add = [&](const char* name, const char* says, const char* file, int (*run)(const VerifyOptions&)) {
        CLI::App* command = subcommand(*verify, name, says);
        command->add_option("file", options.file, file)->required();
        CLI::Option* key = command->add_option("--key", options.key, "Verifier key of the log that you trust");
        command->add_option("--policy", options.policy, "File with a policy: logs, witnesses and quorum that you trust")
            ->excludes(key);
        command->callback([&selected, run] { selected.run = [run] { return run(options); }; });
        return command;
    };
    add("receipt", "Verifies receipts: one, many (a line each), or those in an answer or the export of an account",
        "File with receipts; - reads standard input", verify_receipts)
        ->add_option("--description", options.description,
                     "File with the log's description, /.well-known/consent-log.note, or an export or a bundle that "
                     "contains it (default: the export itself)");
    add("proof", "Verifies that an entry is in the log", "File with a proof (.tlog-proof); - reads standard input",
        verify_proof_file);
    add("bundle", "Verifies an auditor's bundle", "ZIP file; - reads standard input", verify_bundle_file);

    static std::string database_key;
    CLI::App* database =
        subcommand(*verify, "database", "Compares the database with the consent log; names every row that was altered");
    database->add_option("--key", database_key, "Verifier key of the log (default: the one that the database names)");
    database->callback([&selected] { selected.run = [] { return verify_database(database_key); }; });
}

void add_witness_commands(CLI::App& program, Selected& selected) {
    CLI::App* witness =
        subcommand(program, "witness", "Runs a witness of transparency logs: a service of its own, without settings");
    static WitnessOptions options;
    witness->add_option("--logs", options.logs, "Policy file (C2SP tlog-policy) with a line `log KEY` for each log");
    witness->add_option(
        "--key", options.key_file,
        "File with the private key; without it, the environment variable CONSENTRY_WITNESS_KEY is used");
    witness->add_option("--database", options.database, "SQLite file; created if missing; default witness.db");
    witness->add_option("--listen", options.listen, "HOST:PORT to listen on; default localhost:3080");

    CLI::App* key = subcommand(*witness, "key", "Creates the private key of a witness; prints the verifier key");
    static std::string name;
    static std::string file;
    key->add_option("--name", name, "Name of the key, a URL without scheme: witness.example.org")->required();
    key->add_option("--out", file, "File to create")->required();
    key->callback([&selected] { selected.run = [] { return make_witness_key(name, file); }; });

    witness->callback([&selected, witness] {
        if (!witness->get_subcommands().empty()) return;
        if (options.logs.empty()) throw CLI::RequiredError("--logs");
        selected.run = [] { return serve_witness(options); };
    });
}

void add_log_commands(CLI::App& program, Selected& selected) {
    CLI::App* log = subcommand(program, "log", "Shows and verifies the logs that nobody can change unseen");
    log->require_subcommand(1);
    static LogOptions options;

    CLI::App* show = subcommand(*log, "show", "Shows a log");
    show->require_subcommand(1);
    CLI::App* shown = subcommand(*show, "admin",
                                 "Shows the acts of administrators and of the operator, newest last: index, time, "
                                 "action, actor, account concerned");
    shown->add_option("--limit", options.limit, "Number of acts; default 50")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    shown->add_flag("--json", options.json, "Print JSON");
    shown->callback([&selected] { selected.run = [] { return show_administration_log(options); }; });

    CLI::App* verify = subcommand(*log, "verify", "Compares a log with the database");
    verify->require_subcommand(1);
    CLI::App* verified = subcommand(*verify, "admin",
                                    "Compares acts, entries and tiles with the signed checkpoint; names every "
                                    "altered, missing, added or moved entry");
    verified->add_option("--key", options.key, "Verifier key of the log, as /.well-known/consent-log names it");
    verified->add_flag("--json", options.json, "Print JSON");
    verified->callback([&selected] { selected.run = [] { return verify_administration_log(options); }; });
}

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

// Reports a command line error, or prints the help or version that was requested.
int refuse(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App* command = nullptr;
    const std::string name = called(program, &command);
    // For an unknown word in place of a command, CLI11 reports only that a command is missing, without the word.
    if (error.get_name() == "RequiredError" && command->get_require_subcommand_min() > 0) {
        const auto rest = program.remaining(true);
        const auto word = std::ranges::find_if(rest, [](const std::string& one) { return !one.starts_with('-'); });
        const std::string trouble =
            word == rest.end() ? "missing command" : fmt::format("unknown command `{} {}`", name, *word);
        fmt::print(stderr, "consentry: {}; run `{} --help` for a list of commands.\n", trouble, name);
        return wrong_use;
    }
    // CLI11 prints help and version to standard output and returns 0 for them.
    return program.exit(error) == 0 ? 0 : wrong_use;
}

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App program{"Consentry: an authentication and consent server"};
    program.set_version_flag("--version", std::string("consentry ") + std::string(program_version()));
    program.require_subcommand(1);
    program.footer(
        "Set options with environment variables or in a .env file. `consentry config docs` documents them all.");
    Selected selected;
    subcommand(program, "serve", "Runs the service; needs no setup with default settings")->callback([&selected] {
        selected.run = serve;
    });
    add_migrate_command(program, selected);
    add_user_commands(program, selected);
    add_user_import_command(program, selected);
    add_api_key_commands(program, selected);
    add_policy_commands(program, selected);
    subcommand(program, "clean-up", "Runs all due cleanup tasks now; the service runs them periodically")
        ->callback([&selected] { selected.run = clean_up; });
    add_config_commands(program, selected);
    add_key_commands(program, selected);
    add_consent_commands(program, selected);
    add_verify_commands(program, selected);
    add_witness_commands(program, selected);
    add_log_commands(program, selected);

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
        return selected.run();
    } catch (const std::exception& error) {
        fmt::print(stderr, "consentry: {}\n", sentence_of(error));
        return 1;
    }
}

}  // namespace consentry
