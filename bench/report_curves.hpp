// The curves in report.svg.
#pragma once

#include <string>

#include "report.hpp"

namespace consentry::bench {

inline constexpr double curve_height = 236;

// For the style of the picture: the colors of the lines.
inline constexpr std::string_view curve_style =
    ".axis{stroke:#8a8a8a;fill:none}.curve{fill:none;stroke-width:2}"
    ".line0{stroke:#0b6e99}.line1{stroke:#c2410c}.line2{stroke:#5b8c0a}.line3{stroke:#7a3fb0}"
    "@media(prefers-color-scheme:dark){.line0{stroke:#3a9fc9}.line1{stroke:#f0783c}.line2{stroke:#9ccc3c}"
    ".line3{stroke:#b98ae6}}";

// With its upper edge at `y`. The sizes stand at equal distances, as powers of ten do on a logarithmic scale.
std::string curve_at(const Curve& curve, double y);

}  // namespace consentry::bench
