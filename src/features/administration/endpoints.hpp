#pragma once

#include "features/accounts/profiles.hpp"
#include "features/administration/administration.hpp"
#include "features/administration/import/user_import.hpp"
#include "http/router.hpp"

namespace consentry {

// Accounts, for administrators and for other services. Requires that CallerGuard and http::CursorSeal have been
// provided.
void add_administration_endpoints(http::Router& router, Administration& administration, Profiles& profiles,
                                  Consents& consents, UserImport& import);

}  // namespace consentry
