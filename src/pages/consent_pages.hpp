// /accept: shows the policies that a visitor has yet to accept, one after the other. /policies: shows a published text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/acceptances/acceptances.hpp"
#include "features/term_policies/diffs.hpp"
#include "features/term_policies/term_policies.hpp"
#include "pages/consent_forms.hpp"
#include "pages/pages.hpp"
#include "pages/policy_texts.hpp"

namespace consentry {

class ConsentPages {
public:
    // The references must outlive this object.
    ConsentPages(Acceptances& acceptances, TermPolicies& policies, PolicyDiffs& diffs, const Locales& locales)
        : acceptances_(acceptances), policies_(policies), diffs_(diffs), texts_(policies), locales_(locales) {}

    void add_to(Pages& pages);

private:
    awaitable<Result<PageAnswer>> show(const VisitOf<SignedIn>& visit);
    awaitable<Result<PageAnswer>> show_text(const Visit& visit);
    awaitable<Result<PageAnswer>> accept(const Sent<AcceptForm, VisitOf<SignedIn>>& sent);

    // Adds what has changed since the version that the account accepted, or the way to see it. Nothing if that version
    // has no text in the language of this one.
    awaitable<void> add_changes(View& view, const Visit& visit, const Standing& standing, Language language);
    // Where a visitor goes who does not accept a policy of this type now; nullopt if the visitor has to.
    std::optional<Address> way_past(PolicyType type, const Visit& visit) const;
    // The first of these types that the account has yet to accept.
    awaitable<std::optional<Standing>> missing(UserId user, std::vector<PolicyType> wanted);

    Acceptances& acceptances_;
    TermPolicies& policies_;
    PolicyDiffs& diffs_;
    PolicyTexts texts_;
    const Locales& locales_;
};

}  // namespace consentry
