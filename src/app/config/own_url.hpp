// Where clients find this service: what addresses that it hands out begin with.
#pragma once

#include <string>

#include "app/config/config.hpp"

namespace consentry {

// PUBLIC_URL, else host and port listened on; without a slash at its end.
std::string own_url(const Config& config);

}  // namespace consentry
