// What the OpenAPI document says about the API as a whole.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace consentry::http {

// Whether requests may or must carry an API key.
enum class ApiKeyUse { none, optional, required };

struct OpenApiInfo {
    std::string title;
    std::string version;
    std::string description = {};
    std::string server_url = "/";
    std::string path_prefix = "/api/v1";  // of the paths in examples of errors
    ApiKeyUse api_keys = ApiKeyUse::none;
    std::vector<std::pair<std::string, std::string>> tags = {};  // name and description, in display order
};

}  // namespace consentry::http
