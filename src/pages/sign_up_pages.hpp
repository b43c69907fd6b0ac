// /sign-up and /verify-email.
#pragma once

#include "features/accounts/accounts.hpp"
#include "features/accounts/link_requests.hpp"
#include "pages/account_forms.hpp"
#include "pages/pages.hpp"

namespace consentry {

class SignUpPages {
public:
    // The references must outlive this object.
    SignUpPages(Accounts& accounts, LinkRequests& links) : accounts_(accounts), links_(links) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> sign_up(const Sent<SignUpForm>& sent);
    awaitable<Result<PageAnswer>> send_link(const Sent<AddressForm>& sent);
    awaitable<Result<PageAnswer>> verify(const Sent<NothingForm>& sent);

    Accounts& accounts_;
    LinkRequests& links_;
};

}  // namespace consentry
