// /login, /login/verify and /logout.
#pragma once

#include <string>
#include <vector>

#include "features/login/login.hpp"
#include "pages/login_forms.hpp"
#include "pages/login_steps.hpp"
#include "pages/pages.hpp"
#include "pages/provider_buttons.hpp"

namespace consentry {

class LoginPages {
public:
    // The references must outlive this object.
    LoginPages(Login& login, Sessions& sessions, const Locales& locales, const ProviderButtons& buttons,
               PageCookies cookies, const LoginSteps& steps)
        : login_(login), sessions_(sessions), locales_(locales), buttons_(buttons), cookies_(cookies), steps_(steps) {}

    void add_to(Pages& pages);
    // The way on after a step, whatever it was.
    PageAnswer after(const LoginAnswer& answer, const Visit& visit) const;

private:
    awaitable<Result<PageAnswer>> show_login(const Visit& visit) const;
    awaitable<Result<PageAnswer>> log_in(const Sent<LoginForm>& sent);
    awaitable<Result<PageAnswer>> show_verify(const Visit& visit) const;
    awaitable<Result<PageAnswer>> verify(const Sent<VerifyForm>& sent);
    awaitable<Result<PageAnswer>> log_out(const Sent<LogoutForm, VisitOf<SessionHolder>>& sent);

    Login& login_;
    Sessions& sessions_;
    const Locales& locales_;
    const ProviderButtons& buttons_;
    PageCookies cookies_;
    const LoginSteps& steps_;
};

}  // namespace consentry
