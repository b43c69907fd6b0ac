// /sign-up and /verify-email.
#pragma once

#include "features/accounts/accounts.hpp"
#include "features/accounts/link_requests.hpp"
#include "pages/account_forms.hpp"
#include "pages/pages.hpp"
#include "pages/provider_buttons.hpp"

namespace consentry {

class SignUpPages {
public:
    // The references must outlive this object.
    SignUpPages(Accounts& accounts, LinkRequests& links, const Passwords& passwords, const ProviderButtons& buttons)
        : accounts_(accounts), links_(links), passwords_(passwords), buttons_(buttons) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show_sign_up(const Visit& visit) const;
    awaitable<Result<PageAnswer>> sign_up(const Sent<SignUpForm>& sent);
    awaitable<Result<PageAnswer>> send_link(const Sent<AddressForm>& sent);
    awaitable<Result<PageAnswer>> verify(const Sent<NothingForm>& sent);

    Accounts& accounts_;
    LinkRequests& links_;
    const Passwords& passwords_;
    const ProviderButtons& buttons_;
};

}  // namespace consentry
