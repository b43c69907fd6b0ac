#include "app/version.hpp"

#ifndef CONSENTRY_VERSION
#error "CONSENTRY_VERSION comes from the build"
#endif

namespace consentry {

std::string_view program_version() { return CONSENTRY_VERSION; }

}  // namespace consentry
