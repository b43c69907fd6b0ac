#pragma once

#include "base/locales.hpp"
#include "features/activity/activity.hpp"
#include "features/users/repository.hpp"
#include "http/router.hpp"

namespace consentry {

// The log of the caller's own account, and that of any account for administrators. Requires that CallerGuard and
// http::CursorSeal have been provided.
void add_activity_endpoints(http::Router& router, Activity& activity, UserRepository& users, const Locales& locales);

}  // namespace consentry
