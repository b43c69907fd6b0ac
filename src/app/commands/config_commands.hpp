// Commands about settings and the schema.
#pragma once

#include <string>

namespace consentry {

// Modifies nothing. `running`: the service is already listening.
int check_config(bool running, bool as_json);
int print_settings(bool as_json);
int print_settings_documentation();
int print_settings_example();
int migrate(bool as_json);
// Copies the SQLite database at sqlite:PATH into the PostgreSQL database of the settings (copy_database.hpp).
int migrate_from(const std::string& address, bool as_json);

}  // namespace consentry
