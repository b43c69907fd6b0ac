// Fields of our table that a spreadsheet would run as a formula (OWASP, CSV injection).
#pragma once

#include <string_view>

namespace consentry {

// True if the text is such a formula, or one behind quotes. The export writes a quote before each of these texts, and
// the import takes one away, so that every text comes back as it was.
inline bool is_formula_behind_quotes(std::string_view text) {
    const std::size_t begin = text.find_first_not_of('\'');
    return begin != std::string_view::npos && std::string_view("=+-@\t\r").contains(text[begin]);
}

}  // namespace consentry
