#pragma once

#include "features/accounts/accounts.hpp"
#include "features/accounts/export.hpp"
#include "features/accounts/link_requests.hpp"
#include "features/accounts/profiles.hpp"
#include "http/router.hpp"

namespace consentry {

// Sign-up, links in mails and the operations behind them, the caller's profile, deletion and export. Requires that
// SessionGuard has been provided.
void add_account_endpoints(http::Router& router, Accounts& accounts, LinkRequests& links, Passwords& passwords,
                           Profiles& profiles, AccountExport& exported);

}  // namespace consentry
