// The parts of the API document that describe the service as a whole.
#pragma once

#include <string_view>

#include "app/config/config.hpp"
#include "http/openapi.hpp"

namespace consentry {

http::OpenApiInfo api_description(const Config& config, std::string_view version);

}  // namespace consentry
