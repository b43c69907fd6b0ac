// All pages of an account.
#pragma once

#include <string>
#include <vector>

#include "pages/account_pages.hpp"
#include "pages/consent_history_pages.hpp"
#include "pages/session_pages.hpp"
#include "pages/two_factor_pages.hpp"

namespace consentry {

class AccountArea {
public:
    struct Parts {
        const Locales& locales;
        Sessions& sessions;
        UserRepository& users;
        TwoFactor& two_factor;
        Acceptances& acceptances;
        Accounts& accounts;
        AccountExport& account_export;
        Profiles& profiles;
        ConsentLog* consent_log;  // null: turned off by the settings
    };
    // The parts and `steps` must outlive this object.
    AccountArea(const Parts& parts, std::vector<Language> languages, const LoginSteps& steps, PageCookies cookies)
        : account_({parts.locales, parts.users, parts.two_factor, parts.accounts, parts.account_export, parts.profiles,
                    std::move(languages)},
                   cookies),
          two_factor_({parts.locales, parts.users, parts.two_factor}, steps, cookies),
          sessions_(parts.locales, parts.sessions),
          consents_(parts.locales, parts.acceptances, parts.consent_log) {}

    void add_to(Pages& pages) {
        account_.add_to(pages);
        two_factor_.add_to(pages);
        sessions_.add_to(pages);
        consents_.add_to(pages);
    }

private:
    AccountPages account_;
    TwoFactorPages two_factor_;
    SessionPages sessions_;
    ConsentHistoryPages consents_;
};

}  // namespace consentry
