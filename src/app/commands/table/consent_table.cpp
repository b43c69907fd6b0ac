#include <CLI/CLI.hpp>

#include "app/commands/consent_commands.hpp"
#include "app/commands/table/table.hpp"
#include "app/commands/verify_commands.hpp"

namespace consentry {

void add_consent_commands(CLI::App& program, Selected& selected) {
    CLI::App* consent = subcommand(program, "consent", "Exports evidence from the consent log");
    consent->require_subcommand(1);
    static ConsentExportOptions options;
    CLI::App* command = subcommand(*consent, "export", "Writes a bundle for auditors, as a ZIP archive");
    command->add_option("--out", options.out, "File to write")->type_name("FILE")->required();
    command->add_option("--user", options.user, "Account ID: only entries about this account");
    command->add_option("--type", options.type, "Only entries about this policy type")
        ->check(CLI::IsMember(std::vector<std::string>{"termsOfService", "privacy", "marketing", "cookies"}));
    command->add_option("--from", options.from, "Only entries from this day or time on (UTC)");
    command->add_option("--to", options.to, "Only entries up to and including this day (UTC), or before this time");
    command->add_flag("--without-addenda", options.without_addenda,
                      "Leave out the evidence, which names the account, session, IP address and client program");
    add_json(*command, options.json);
    command->callback([&selected] { selected.run = [] { return export_consent(options); }; });
}

void add_verify_commands(CLI::App& program, Selected& selected) {
    CLI::App* verify = subcommand(program, "verify", "Verifies records of consent");
    verify->require_subcommand(1);
    static VerifyOptions options;
    const auto add = [&](const char* name, const char* says, const char* file, int (*run)(const VerifyOptions&)) {
        CLI::App* command = subcommand(*verify, name, says);
        command->add_option("file", options.file, file)->type_name("FILE")->required();
        CLI::Option* key = command->add_option("--key", options.key, "Verifier key of the log that you trust");
        command->add_option("--policy", options.policy, "File with a policy: logs, witnesses and quorum that you trust")
            ->type_name("FILE")
            ->excludes(key);
        add_json(*command, options.json);
        command->callback([&selected, run] { selected.run = [run] { return run(options); }; });
        return command;
    };
    const auto add_authorities = [&](CLI::App* command) {
        command->add_option("--tsa-ca", options.authorities,
                            "PEM file with the certificates of timestamp authorities that you trust");
        return command;
    };
    add_authorities(add("receipt",
                        "Verifies receipts: one, several (one per line), or those in a response or an account export",
                        "File with receipts; - reads standard input", verify_receipts))
        ->add_option("--description", options.description,
                     "File with the log's description, /.well-known/consent-log.note, or an export or a bundle that "
                     "contains it (default: the export itself)")
        ->type_name("FILE");
    add("proof", "Verifies that an entry is in the log", "File with a proof (.tlog-proof); - reads standard input",
        verify_proof_file);
    add_authorities(
        add("bundle", "Verifies an auditor's bundle", "ZIP file; - reads standard input", verify_bundle_file))
        ->add_option("--earlier", options.earlier,
                     "File with a checkpoint, a proof, receipts, an account export or another bundle that you have "
                     "kept: the bundle must continue these states of the log, and have the promised entries")
        ->type_name("FILE")
        ->allow_extra_args(false);

    static VerifyDatabaseOptions of_database;
    CLI::App* database =
        subcommand(*verify, "database", "Compares the database with the consent log; lists every altered row");
    database->add_option("--key", of_database.key,
                         "Verifier key of the consent log (default: the one that the database names)");
    database
        ->add_option("--checkpoint", of_database.checkpoint,
                     "File with a checkpoint of the log that you have kept, /consent-log/checkpoint; - reads standard "
                     "input")
        ->type_name("FILE");
    add_json(*database, of_database.json);
    database->callback([&selected] { selected.run = [] { return verify_database(of_database); }; });
}

}  // namespace consentry
