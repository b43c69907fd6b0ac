// API key commands. Safe to run beside a running service: the database arbitrates.
#pragma once

#include <string>

namespace consentry {

struct ApiKeyOptions {
    std::string name;
    std::string type;
    std::string key;
    bool json = false;
};

int create_api_key(const ApiKeyOptions& options);
int list_api_keys(const ApiKeyOptions& options);
int delete_api_key(const ApiKeyOptions& options);

}  // namespace consentry
