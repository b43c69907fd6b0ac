// /account, /account/profile and /account/data.
#pragma once

#include "features/accounts/accounts.hpp"
#include "features/accounts/export.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/repository.hpp"
#include "pages/account_area_forms.hpp"
#include "pages/account_forms.hpp"
#include "pages/pages.hpp"

namespace consentry {

class AccountPages {
public:
    struct Parts {
        const Locales& locales;
        UserRepository& users;
        TwoFactor& two_factor;
        Accounts& accounts;
        AccountExport& account_export;
        Profiles& profiles;
        std::vector<Language> languages;  // to choose from
    };
    // The parts must outlive this object.
    AccountPages(Parts parts, PageCookies cookies) : parts_(std::move(parts)), cookies_(cookies) {}

    void add_to(Pages& pages);

private:
    using Member = VisitOf<Consenting<>>;
    awaitable<Result<PageAnswer>> show(const Member& visit) const;
    awaitable<Result<PageAnswer>> show_profile(const Member& visit) const;
    awaitable<Result<PageAnswer>> save_profile(const Sent<ProfileForm, Member>& sent);
    awaitable<Result<PageAnswer>> show_data(const VisitOf<SignedIn>& visit) const;
    awaitable<Result<PageAnswer>> hand_out(const Sent<NothingForm, VisitOf<SignedIn>>& sent);
    awaitable<Result<PageAnswer>> erase(const Sent<DeletionForm, VisitOf<SignedIn>>& sent);

    Parts parts_;
    PageCookies cookies_;
};

}  // namespace consentry
