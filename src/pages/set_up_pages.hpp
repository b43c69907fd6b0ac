// /login/set-up: the second factor that an account must have before its login can continue.
#pragma once

#include <string>
#include <vector>

#include "features/login/login.hpp"
#include "pages/account_forms.hpp"
#include "pages/login_steps.hpp"
#include "pages/pages.hpp"

namespace consentry {

class SetUpPages {
public:
    // The references must outlive this object.
    SetUpPages(Login& login, const Locales& locales, const LoginSteps& steps)
        : login_(login), locales_(locales), steps_(steps) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show(const Visit& visit) const;
    awaitable<Result<PageAnswer>> enable(const Sent<SetUpForm>& sent);

    Login& login_;
    const Locales& locales_;
    const LoginSteps& steps_;
};

// The values of a template that shows backup codes: a list `codes`, of which each has the value `one`, and `has_codes`.
View backup_codes_view(const std::vector<std::string>& codes);
inline const std::vector<std::string> backup_codes_names{"codes", "one", "has_codes"};

}  // namespace consentry
