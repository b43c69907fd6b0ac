// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

// Replaces the characters that have a meaning in HTML, in text and in quoted attributes.
std::string html_escaped(std::string_view text);

}  // namespace consentry
