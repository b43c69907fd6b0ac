#pragma once

#include "features/feature_flags/feature_flags.hpp"
#include "http/router.hpp"

namespace consentry {

void add_feature_flag_endpoints(http::Router& router, FeatureFlags& flags);

}  // namespace consentry
