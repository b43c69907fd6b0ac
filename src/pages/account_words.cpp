#include "pages/account_words.hpp"

#include "features/term_policies/policy.hpp"

namespace consentry {

std::string in_groups(std::string_view text, std::size_t of) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i > 0 && i % of == 0) out += ' ';
        out += text[i];
    }
    return out;
}

std::string policy_name(const Locales& locales, Language language, PolicyType type) {
    return std::string(locales.text(language, "termPolicy.type." + std::string(name_of(type))));
}

}  // namespace consentry
