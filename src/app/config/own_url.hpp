// The base of the URLs of this service that it hands out.
#pragma once

#include <string>

#include "app/config/config.hpp"

namespace consentry {

// Returns PUBLIC_URL, or else the host and port of the listener; without trailing slash.
std::string own_url(const Config& config);

}  // namespace consentry
