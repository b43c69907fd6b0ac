// The table of commands: their names and options, and what each of them runs. Help texts,
// completion and manual pages come from it.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace consentry {

// What the command line asks for. Commands that need the configuration load it themselves, so that --help and --version
// work even if it is invalid.
struct Selected {
    std::function<int()> run;
};

// Adds --json.
void add_json(CLI::App& command, bool& as_json);
CLI::App* subcommand(CLI::App& parent, const std::string& name, const std::string& says);

// Adds all commands, in the order in which help lists them.
void declare_commands(CLI::App& program, Selected& selected);

// One function per subject. The options of the commands live as long as the program.
void add_serve_command(CLI::App& program, Selected& selected);
void add_init_command(CLI::App& program, Selected& selected);
void add_doctor_commands(CLI::App& program, Selected& selected);
void add_migrate_command(CLI::App& program, Selected& selected);
void add_clean_up_command(CLI::App& program, Selected& selected);
void add_backup_commands(CLI::App& program, Selected& selected);
void add_config_commands(CLI::App& program, Selected& selected);
void add_user_commands(CLI::App& program, Selected& selected);
void add_session_commands(CLI::App& program, Selected& selected);
void add_api_key_commands(CLI::App& program, Selected& selected);
void add_key_commands(CLI::App& program, Selected& selected);
void add_policy_commands(CLI::App& program, Selected& selected);
void add_consent_commands(CLI::App& program, Selected& selected);
void add_verify_commands(CLI::App& program, Selected& selected);
void add_witness_commands(CLI::App& program, Selected& selected);
void add_log_commands(CLI::App& program, Selected& selected);
void add_help_commands(CLI::App& program, Selected& selected);

}  // namespace consentry
