// /accept: shows the policies that a visitor has yet to accept, one after the other. /policies: shows a published text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/acceptances/acceptances.hpp"
#include "features/term_policies/term_policies.hpp"
#include "pages/consent_forms.hpp"
#include "pages/pages.hpp"
#include "pages/policy_texts.hpp"

namespace consentry {

class ConsentPages {
public:
    // The references must outlive this object.
    ConsentPages(Acceptances& acceptances, TermPolicies& policies, const Locales& locales, std::string api_prefix)
        : acceptances_(acceptances),
          policies_(policies),
          texts_(policies),
          locales_(locales),
          api_prefix_(std::move(api_prefix)) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show(const VisitOf<SignedIn>& visit);
    awaitable<Result<PageAnswer>> show_text(const Visit& visit);
    awaitable<Result<PageAnswer>> accept(const Sent<AcceptForm, VisitOf<SignedIn>>& sent);

    // The first of these types that the account has yet to accept.
    awaitable<std::optional<Standing>> missing(UserId user, std::vector<PolicyType> wanted);

    Acceptances& acceptances_;
    TermPolicies& policies_;
    PolicyTexts texts_;
    const Locales& locales_;
    std::string api_prefix_;
};

}  // namespace consentry
