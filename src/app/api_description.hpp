// The parts of the API document that describe the service as a whole.
#pragma once

#include <string_view>

#include "http/openapi.hpp"

namespace consentry {

http::OpenApiInfo api_description(std::string_view app_name, std::string_view version, http::ApiKeyUse api_keys);

}  // namespace consentry
