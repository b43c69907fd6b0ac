#include "pages/provider_buttons.hpp"

namespace consentry {

std::vector<std::string> ProviderButtons::origins() const {
    std::vector<std::string> out;
    out.reserve(providers_.size());
    for (const WebProvider& one : providers_) out.push_back(one.authorization.origin());
    return out;
}

awaitable<View> ProviderButtons::view_of(std::string_view SocialProviderFacts::* flag) const {
    std::vector<View> shown;
    for (const WebProvider& one : providers_) {
        const SocialProviderFacts& facts = facts_of(one.provider);
        const bool allowed = co_await flags_.allows(std::string(facts.*flag));
        if (allowed) shown.push_back(View().text("provider", facts.name).text("owner", facts.owner));
    }
    View view;
    view.flag("has_providers", !shown.empty()).list("providers", std::move(shown));
    co_return view;
}

}  // namespace consentry
