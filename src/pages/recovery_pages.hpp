// /forgot-password, /change-password and /login/confirm.
#pragma once

#include "features/accounts/link_requests.hpp"
#include "features/passwords/confirmation.hpp"
#include "features/passwords/passwords.hpp"
#include "features/sessions/sessions.hpp"
#include "pages/account_forms.hpp"
#include "pages/pages.hpp"

namespace consentry {

class RecoveryPages {
public:
    struct Parts {
        LinkRequests& links;
        Passwords& passwords;
        Confirmation& confirmation;
        TwoFactor& two_factor;
        Sessions& sessions;
        UserRepository& users;
        const Locales& locales;
    };
    // The parts must outlive this object.
    RecoveryPages(const Parts& parts, PageCookies cookies) : parts_(parts), cookies_(cookies) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show_forgot(const Visit& visit) const;
    awaitable<Result<PageAnswer>> send_link(const Sent<AddressForm>& sent);
    awaitable<Result<PageAnswer>> reset(const Sent<ResetPasswordForm>& sent);
    awaitable<Result<PageAnswer>> show_change(const VisitOf<SignedInProvisionally>& visit) const;
    awaitable<Result<PageAnswer>> change(const Sent<ChangePasswordForm, VisitOf<SignedInProvisionally>>& sent);
    awaitable<Result<PageAnswer>> show_confirm(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> confirm(const Sent<ConfirmForm, VisitOf<SignedIn>>& sent);

    Parts parts_;
    PageCookies cookies_;
};

}  // namespace consentry
