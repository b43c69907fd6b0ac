#include "pages/accept_language.hpp"

#include <algorithm>

#include "http/steps/accept.hpp"

namespace consentry {

std::optional<Language> preferred_language(std::string_view accept_language, std::span<const Language> spoken) {
    constexpr int entries_max = 50;
    std::optional<Language> out;
    int best = 0;
    for (int i = 0; i < entries_max && !accept_language.empty(); ++i) {
        const auto [tag, weight] = http::take_weighted(accept_language);
        const auto language = find_language(tag.substr(0, tag.find('-')));
        if (!language || weight <= best || std::ranges::find(spoken, *language) == spoken.end()) continue;
        out = language;
        best = weight;
    }
    return out;
}

std::string_view own_name_of(Language language) {
    switch (language) {
        case Language::en:
            return "English";
        case Language::id:
            return "Bahasa Indonesia";
        case Language::es:
            return "Español";
        case Language::fr:
            return "Français";
        case Language::de:
            return "Deutsch";
        case Language::ja:
            return "日本語";
    }
    return "English";
}

}  // namespace consentry
