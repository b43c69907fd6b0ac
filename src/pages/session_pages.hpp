// /account/sessions.
#pragma once

#include "features/sessions/sessions.hpp"
#include "pages/account_area_forms.hpp"
#include "pages/account_forms.hpp"
#include "pages/pages.hpp"

namespace consentry {

class SessionPages {
public:
    // The references must outlive this object.
    SessionPages(const Locales& locales, Sessions& sessions) : locales_(locales), sessions_(sessions) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> end_one(const Sent<SessionForm, VisitOf<SignedIn>>& sent);
    awaitable<Result<PageAnswer>> end_others(const Sent<NothingForm, VisitOf<SignedIn>>& sent);

    const Locales& locales_;
    Sessions& sessions_;
};

}  // namespace consentry
