// /account/two-factor and the pages below it.
#pragma once

#include "features/two_factor/two_factor.hpp"
#include "features/users/repository.hpp"
#include "pages/account_area_forms.hpp"
#include "pages/account_forms.hpp"
#include "pages/login_steps.hpp"
#include "pages/pages.hpp"

namespace consentry {

class TwoFactorPages {
public:
    struct Parts {
        const Locales& locales;
        UserRepository& users;
        TwoFactor& two_factor;
    };
    // `steps` keep the new secret in the browser until its first code. They and the parts must outlive this object.
    TwoFactorPages(const Parts& parts, const LoginSteps& steps, PageCookies cookies)
        : parts_(parts), steps_(steps), cookies_(cookies) {}

    void add_to(Pages& pages);

private:
    using Fresh = VisitOf<FreshlySignedIn>;
    awaitable<Result<PageAnswer>> show(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> show_start(const Fresh& visit) const;
    awaitable<Result<PageAnswer>> start(const Sent<NothingForm, Fresh>& sent);
    awaitable<Result<PageAnswer>> show_confirm(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> confirm(const Sent<SetUpForm, VisitOf<SignedIn>>& sent);
    awaitable<Result<PageAnswer>> show_codes(const Fresh& visit) const;
    awaitable<Result<PageAnswer>> make_codes(const Sent<NothingForm, Fresh>& sent);
    awaitable<Result<PageAnswer>> show_off(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> turn_off(const Sent<VerifyForm, VisitOf<SignedIn>>& sent);

    Parts parts_;
    const LoginSteps& steps_;
    PageCookies cookies_;
};

}  // namespace consentry
