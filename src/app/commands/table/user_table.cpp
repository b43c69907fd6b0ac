#include <CLI/CLI.hpp>

#include "app/commands/api_key_commands.hpp"
#include "app/commands/table/table.hpp"
#include "app/commands/user_commands.hpp"
#include "app/commands/user_import_command.hpp"

namespace consentry {
namespace {

void add_user_import_command(CLI::App& user, Selected& selected) {
    static UserImportOptions options;
    CLI::App* command = subcommand(user, "import", "Imports accounts from a file; if any row is invalid, imports none");
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

}  // namespace

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

    add_user_import_command(*user, selected);
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

}  // namespace consentry
