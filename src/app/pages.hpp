// Makes the pages from the settings.
#pragma once

#include <memory>

#include "app/services.hpp"
#include "pages/website.hpp"

namespace consentry {

// Returns null if the settings turn the pages off. Throws std::runtime_error naming a file that cannot be used.
std::unique_ptr<Website> open_website(Services& services);

}  // namespace consentry
