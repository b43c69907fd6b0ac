// A comparison of two texts as a page for users: HTML without scripts that needs nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/html.hpp"
#include "base/locales.hpp"

namespace consentry {

struct DiffPage {
    std::string title;  // plain text
    std::string same;   // what to say if the texts are equal
    std::string removed;
    std::string added;  // what screen readers say before such a line
    Language language = Language::en;
};
// The comparison alone: a line of the texts is a paragraph, <del> or <ins>.
Html diff_lines(const DiffPage& page, std::string_view before, std::string_view after);
// Everything in the texts is escaped. The same input gives the same bytes.
std::string diff_page(const DiffPage& page, std::string_view before, std::string_view after);
// Whether a page shows the differences of these texts in this language, whatever its labels say: a program of another
// version may have had others.
bool is_diff_page(std::string_view page, Language language, std::string_view before, std::string_view after);
// The labels in this language. `policy` is the message key of the policy's name.
DiffPage labeled_page(const Locales& locales, Language language, std::string_view policy, std::int64_t from,
                      std::int64_t to);
// Allows the page's own style and nothing else.
std::string diff_page_policy();

}  // namespace consentry
