// /account/consents: what was accepted and withdrawn, and the evidence of it.
#pragma once

#include "features/acceptances/acceptances.hpp"
#include "features/consent_log/consent_log.hpp"
#include "pages/account_area_forms.hpp"
#include "pages/pages.hpp"

namespace consentry {

class ConsentHistoryPages {
public:
    // `log` is null while the settings turn it off. What is given must outlive this object.
    ConsentHistoryPages(const Locales& locales, Acceptances& acceptances, ConsentLog* log)
        : locales_(locales), acceptances_(acceptances), log_(log) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> withdraw(const Sent<WithdrawalForm, VisitOf<SignedIn>>& sent);
    awaitable<Result<PageAnswer>> receipt(const Sent<EvidenceForm, VisitOf<SignedIn>>& sent);
    awaitable<Result<PageAnswer>> proof(const Sent<EvidenceForm, VisitOf<SignedIn>>& sent);
    awaitable<Result<PageAnswer>> record(const Sent<EvidenceForm, VisitOf<SignedIn>>& sent);
    View line_of(const AcceptanceResponse& acceptance, Language language) const;

    const Locales& locales_;
    Acceptances& acceptances_;
    ConsentLog* const log_;
};

}  // namespace consentry
