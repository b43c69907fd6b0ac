// Commands about settings and the schema.
#pragma once

#include <string>

namespace consentry {

struct CheckOptions {
    bool running = false;  // the service is already listening
    bool socket = false;   // a service manager listens, and passes the socket to the service
    bool json = false;
};
// Modifies nothing.
int check_config(const CheckOptions& options);
int print_settings(bool as_json);
int print_settings_documentation();
int print_settings_example();
int migrate(bool as_json);
// Copies the SQLite database at sqlite:PATH into the PostgreSQL database of the settings (copy_database.hpp).
int migrate_from(const std::string& address, bool as_json);

}  // namespace consentry
