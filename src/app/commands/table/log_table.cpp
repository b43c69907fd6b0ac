#include <CLI/CLI.hpp>

#include "app/commands/log_commands.hpp"
#include "app/commands/table/table.hpp"
#include "app/commands/witness_command.hpp"

namespace consentry {

void add_witness_commands(CLI::App& program, Selected& selected) {
    CLI::App* witness =
        subcommand(program, "witness", "Runs a witness for transparency logs: a separate service without settings");
    static WitnessOptions options;
    witness->add_option("--logs", options.logs, "Policy file (C2SP tlog-policy) with a line `log KEY` for each log")
        ->type_name("FILE");
    witness
        ->add_option("--key", options.key_file,
                     "File with the private key; without it, the environment variable CONSENTRY_WITNESS_KEY is used")
        ->type_name("FILE");
    witness
        ->add_option("--database", options.database, "SQLite file that `witness key` has created; default witness.db")
        ->type_name("FILE");
    witness->add_option("--listen", options.listen, "HOST:PORT to listen on; default localhost:3080");

    CLI::App* key =
        subcommand(*witness, "key", "Creates the private key and the database of a witness; prints the verifier key");
    static std::string name;
    static std::string file;
    key->add_option("--name", name, "Name of the key, a URL without scheme: witness.example.org")->required();
    key->add_option("--out", file, "File to create")->type_name("FILE")->required();
    key->add_option("--database", options.database, "SQLite file, kept if it exists; default witness.db")
        ->type_name("FILE");
    static bool as_json = false;
    add_json(*key, as_json);
    key->callback(
        [&selected] { selected.run = [] { return make_witness_key(name, file, options.database, as_json); }; });

    witness->callback([&selected, witness] {
        if (!witness->get_subcommands().empty()) return;
        if (options.logs.empty()) throw CLI::RequiredError("--logs");
        selected.run = [] { return serve_witness(options); };
    });
}

void add_log_commands(CLI::App& program, Selected& selected) {
    CLI::App* log = subcommand(program, "log", "Shows and verifies the append-only logs");
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
    verified->add_option("--key", options.key,
                         "Verifier key of the administration log that you noted earlier: administration.verifierKey at "
                         "/.well-known/consent-log (default: that of the settings)");
    verified
        ->add_option("--checkpoint", options.checkpoint,
                     "File with a checkpoint of the log that you have kept, /consent-log/administration/checkpoint; - "
                     "reads standard input")
        ->type_name("FILE");
    verified
        ->add_option("--retention", options.retention,
                     "The shortest ACTIVITY_LOG_RETENTION_IN_DAYS that ever applied (default: that of the settings)")
        ->type_name("DAYS")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{36'500}));
    verified->add_flag("--json", options.json, "Print JSON");
    verified->callback([&selected] { selected.run = [] { return verify_administration_log(options); }; });
}

}  // namespace consentry
