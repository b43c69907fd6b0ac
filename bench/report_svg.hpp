// What the parts of report.svg share.
#pragma once

#include <string>
#include <string_view>

namespace consentry::bench {

inline constexpr double picture_margin = 24;

// Escaped; a text that is not UTF-8 becomes ASCII, because a picture that is not UTF-8 is none.
std::string svg_escaped(const std::string& text);
// `kind` is a class of the style.
std::string svg_text(double x, double y, std::string_view kind, const std::string& text);

}  // namespace consentry::bench
