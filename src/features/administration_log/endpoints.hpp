// The checkpoint of the administration log, which everybody may see.
#pragma once

#include "features/administration_log/administration_log.hpp"
#include "http/router.hpp"

namespace consentry {

void add_administration_log_endpoints(http::Router& router, AdministrationLog& log);

}  // namespace consentry
