// Exports everything stored about an account, for its owner: one JSON document, read and written in pieces.
#pragma once

#include "base/error.hpp"
#include "base/locales.hpp"
#include "features/accounts/profiles.hpp"
#include "features/activity/activity.hpp"
#include "features/activity/audit.hpp"
#include "features/consent_log/consent_log.hpp"
#include "http/response.hpp"

namespace consentry {

class AccountExport {
public:
    // The references must outlive this object and the streams it returns.
    // `log` may be null: then the export has no receipts.
    AccountExport(storage::Database& database, const Clock& clock, Profiles& profiles, const Locales& locales,
                  Audit audit, ConsentLog* log)
        : database_(database), clock_(clock), profiles_(profiles), locales_(locales), audit_(audit), log_(log) {}

    // Records the request and returns the stream. Each piece shows the data as of the time it is read.
    awaitable<Result<http::NextPiece>> of(UserId user, Language language, Cause cause);

private:
    storage::Database& database_;
    const Clock& clock_;
    Profiles& profiles_;
    const Locales& locales_;
    Audit audit_;
    ConsentLog* log_;
};

}  // namespace consentry
