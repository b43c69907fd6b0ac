#pragma once

#include "features/api_keys/api_keys.hpp"
#include "http/router.hpp"

namespace consentry {

void add_api_key_endpoints(http::Router& router, ApiKeys& keys);

}  // namespace consentry
