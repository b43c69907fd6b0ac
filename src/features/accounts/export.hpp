// All that is kept of an account, for its owner: one JSON document, read and written piece by piece.
#pragma once

#include "base/error.hpp"
#include "base/locales.hpp"
#include "features/accounts/profiles.hpp"
#include "features/activity/activity.hpp"
#include "features/activity/audit.hpp"
#include "http/response.hpp"

namespace consentry {

class AccountExport {
public:
    // All outlive this and the answers it makes.
    AccountExport(storage::Database& database, const Clock& clock, Profiles& profiles, const Locales& locales,
                  Audit audit)
        : database_(database), clock_(clock), profiles_(profiles), locales_(locales), audit_(audit) {}

    // Writes down that it was asked for; what follows is as it is when it is read.
    awaitable<Result<http::NextPiece>> of(UserId user, Language language, Cause cause);

private:
    storage::Database& database_;
    const Clock& clock_;
    Profiles& profiles_;
    const Locales& locales_;
    Audit audit_;
};

}  // namespace consentry
