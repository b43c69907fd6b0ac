#include "app/commands/table/table.hpp"

#include <CLI/CLI.hpp>

namespace consentry {

CLI::App* subcommand(CLI::App& parent, const std::string& name, const std::string& says) {
    CLI::App* command = parent.add_subcommand(name, says);
    command->require_subcommand(0, 1);
    return command;
}

void add_json(CLI::App& command, bool& as_json) { command.add_flag("--json", as_json, "Print JSON"); }

void declare_commands(CLI::App& program, Selected& selected) {
    add_serve_command(program, selected);
    add_init_command(program, selected);
    add_doctor_commands(program, selected);
    add_migrate_command(program, selected);
    add_user_commands(program, selected);
    add_session_commands(program, selected);
    add_api_key_commands(program, selected);
    add_policy_commands(program, selected);
    add_clean_up_command(program, selected);
    add_backup_commands(program, selected);
    add_config_commands(program, selected);
    add_key_commands(program, selected);
    add_consent_commands(program, selected);
    add_verify_commands(program, selected);
    add_witness_commands(program, selected);
    add_log_commands(program, selected);
    add_help_commands(program, selected);
}

}  // namespace consentry
