#include "report_svg.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/html.hpp"
#include "base/text.hpp"

namespace consentry::bench {

std::string svg_escaped(const std::string& text) {
    if (code_points(text)) return Html::of_text(text).text();
    std::string ascii = text;
    std::ranges::replace_if(ascii, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    return Html::of_text(ascii).text();
}

std::string svg_text(double x, double y, std::string_view kind, const std::string& text) {
    return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, kind, svg_escaped(text));
}

}  // namespace consentry::bench
