#include <CLI/CLI.hpp>

#include "app/commands/api_key_commands.hpp"
#include "app/commands/session_commands.hpp"
#include "app/commands/table/table.hpp"
#include "app/commands/user_commands.hpp"
#include "app/commands/user_import_command.hpp"

namespace consentry {
namespace {

void add_account(CLI::App& command, AccountChoice& account) {
    CLI::Option* email = command.add_option("--email", account.email, "Email address of the account");
    command.add_option("--id", account.id, "ID of the account")->excludes(email);
}

std::vector<std::string> provider_names() {
    std::vector<std::string> out;
    out.reserve(all_social_providers.size());
    for (const SocialProvider one : all_social_providers) out.emplace_back(facts_of(one).name);
    return out;
}

void add_user_import_command(CLI::App& user, Selected& selected) {
    static UserImportOptions options;
    CLI::App* command = subcommand(user, "import", "Imports accounts from a file; if any row is invalid, imports none");
    command->add_option("file", options.file, "Path of the file; - reads standard input")
        ->type_name("FILE")
        ->required();
    command->add_option("--from", options.from, "Format of the file: csv, keycloak, auth0, firebase or supabase")
        ->check(CLI::IsMember(std::vector<std::string>(import_formats.begin(), import_formats.end())));
    command->add_flag("--dry-run", options.dry_run, "Check the file without importing it");
    command->add_flag("--skip-existing", options.skip_existing, "Skip rows whose email address already has an account");
    command
        ->add_option("--firebase-hash-config", options.firebase_hash_config,
                     "File with the password hash parameters shown in the Firebase console")
        ->type_name("FILE");
    command
        ->add_option("--auth0-password-hashes", options.auth0_password_hashes,
                     "File with the password hashes sent by Auth0 support")
        ->type_name("FILE");
    add_json(*command, options.json);
    command->callback([&selected] { selected.run = [] { return import_users(options); }; });
}

}  // namespace

void add_user_commands(CLI::App& program, Selected& selected) {
    CLI::App* user = subcommand(program, "user", "Manages accounts");
    user->require_subcommand(1);
    static UserOptions options;
    const auto add = [&selected](CLI::App& parent, const char* name, const char* says, int (*run)(const UserOptions&)) {
        CLI::App* command = subcommand(parent, name, says);
        command->callback([&selected, run] { selected.run = [run] { return run(options); }; });
        return command;
    };
    const auto add_for_account = [&](CLI::App& parent, const char* name, const char* says,
                                     int (*run)(const UserOptions&)) {
        CLI::App* command = add(parent, name, says, run);
        add_account(*command, options.account);
        add_json(*command, options.json);
        return command;
    };

    CLI::App* create = add(*user, "create",
                           "Creates an active, verified account; reads its password from standard input", create_user);
    create->add_option("--email", options.email, "Email address of the account")->required();
    create->add_option("--role", options.role, "user, admin, superAdmin or the name of a custom role")->required();
    create->add_option("--name", options.name, "Display name of the account");
    add_json(*create, options.json);

    add_json(*add(*user, "list", "Lists all accounts: ID, email address, role type, status, two-factor", list_users),
             options.json);
    add_for_account(*user, "show", "Shows an account: role, status, locks, two-factor, sessions", show_user);
    add_for_account(*user, "block", "Blocks an account; ends all its sessions", block_user);
    add_for_account(*user, "unblock", "Makes a blocked or inactive account active again", unblock_user);
    add_for_account(*user, "unlock", "Lifts the locks that wrong passwords and codes caused", unlock_user);
    add_for_account(*user, "delete", "Deletes an account; its personal data is erased later", delete_user)
        ->add_flag("--yes", options.yes, "Do not ask for confirmation");

    CLI::App* password = subcommand(*user, "password", "Manages passwords of accounts");
    password->require_subcommand(1);
    add_for_account(*password, "set", "Sets a password, read as one line from standard input; ends all sessions",
                    set_password);

    CLI::App* two_factor = subcommand(*user, "two-factor", "Manages two-factor authentication of accounts");
    two_factor->require_subcommand(1);
    add_for_account(*two_factor, "reset", "Requires a new two-factor setup at the next login; ends all sessions",
                    reset_two_factor)
        ->add_flag("--disable", options.disable, "Turn two-factor authentication off instead");

    CLI::App* identity = subcommand(*user, "identity", "Manages the Google and Apple accounts that log in to accounts");
    identity->require_subcommand(1);
    add_for_account(*identity, "list", "Lists the Google and Apple accounts that are or were linked to an account",
                    list_identities);
    CLI::App* unlink = add_for_account(
        *identity, "unlink",
        "Unlinks a Google or Apple account, which can never be linked to this account again; ends all sessions",
        unlink_identity);
    unlink->add_option("--provider", options.provider, "google or apple")
        ->required()
        ->check(CLI::IsMember(provider_names()));
    unlink->add_flag("--yes", options.yes, "Do not ask for confirmation");

    add_user_import_command(*user, selected);
}

void add_session_commands(CLI::App& program, Selected& selected) {
    CLI::App* session = subcommand(program, "session", "Shows and ends sessions of accounts");
    session->require_subcommand(1);
    static SessionOptions options;

    CLI::App* list = subcommand(*session, "list", "Lists the live sessions of an account, the oldest first");
    add_account(*list, options.account);
    list->add_flag("--all", options.all, "Also list sessions that have ended");
    add_json(*list, options.json);
    list->callback([&selected] { selected.run = [] { return list_sessions(options); }; });

    CLI::App* revoke = subcommand(*session, "revoke", "Ends sessions of an account; takes effect at the next request");
    add_account(*revoke, options.account);
    CLI::Option* one = revoke->add_option("session", options.session, "ID of the session");
    revoke->add_flag("--all", options.all, "End all sessions of the account")->excludes(one);
    add_json(*revoke, options.json);
    revoke->callback([&selected] { selected.run = [] { return revoke_sessions(options); }; });
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
    add_json(*create, options.json);
    create->callback([&selected] { selected.run = [] { return create_api_key(options); }; });

    CLI::App* list = subcommand(*keys, "list", "Lists all API keys: key, type, state (on, off, not-yet, over), name");
    add_json(*list, options.json);
    list->callback([&selected] { selected.run = [] { return list_api_keys(options); }; });

    CLI::App* erase = subcommand(*keys, "delete", "Deletes an API key; takes effect at the next request");
    erase->add_option("--key", options.key, "The part of the API key before the colon")->required();
    add_json(*erase, options.json);
    erase->callback([&selected] { selected.run = [] { return delete_api_key(options); }; });
}

}  // namespace consentry
