// The base of the URLs of this service that it hands out, and what is served there.
#pragma once

#include <string>

#include "app/config/config.hpp"

namespace consentry {

// Returns PUBLIC_URL, or else the host and port of the listener; without trailing slash.
std::string own_url(const Config& config);

// Whether PAGES_ENABLE is on and browsers can be given cookies: over https, or on this machine. The pages are at the
// root of PUBLIC_URL, which therefore must not have a path.
bool can_serve_pages(const Config& config);

}  // namespace consentry
