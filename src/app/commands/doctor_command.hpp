// consentry doctor and health: whether an installation is well.
#pragma once

#include <string>

namespace consentry {

struct HealthOptions {
    std::string url;  // of the service; empty: as the settings say
    int timeout_in_seconds = 5;
    bool json = false;
};

// Prints what it finds, with advice. Changes nothing. Returns 1 if anything is an error.
int doctor(bool as_json);

// For health checks of containers: asks the service whether it is ready; silent if it is. Returns 1 if it is not.
int check_health(const HealthOptions& options);

}  // namespace consentry
