#include "pages/colors.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.hpp"

namespace consentry {
namespace {

constexpr double contrast_min = 4.5;
// The backgrounds of assets/pages/style.css.
constexpr std::string_view light_page = "#ffffff";
constexpr std::string_view dark_page = "#17191c";
constexpr std::string_view white = "#ffffff";
constexpr std::string_view black = "#000000";

// The relative luminance of WCAG 2.2; nullopt unless the text is # and six hexadecimal digits.
std::optional<double> luminance(std::string_view color) {
    const auto bytes = color.starts_with('#') ? from_hex(color.substr(1)) : std::nullopt;
    std::array<double, 3> parts{};
    if (!bytes || bytes->size() != parts.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double part = (*bytes)[i] / 255.0;
        parts[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

double contrast(std::string_view one, std::string_view other) {
    const double a = luminance(one).value();
    const double b = luminance(other).value();
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

std::string_view text_on(std::string_view color) {
    return contrast(white, color) >= contrast(black, color) ? white : black;
}

}  // namespace

std::expected<PageColors, std::string> PageColors::parse(std::string_view text) {
    const auto comma = text.find(',');
    PageColors out{.light = std::string(text.substr(0, comma)),
                   .dark = comma == std::string_view::npos ? std::string() : std::string(text.substr(comma + 1))};
    if (!luminance(out.light) || !luminance(out.dark))
        return std::unexpected("must be two colors such as #1f5fa8,#8ab8f0: on a light page and on a dark one");
    for (const auto& [color, page, name] : {std::tuple(std::string_view(out.light), light_page, "light"),
                                            std::tuple(std::string_view(out.dark), dark_page, "dark")}) {
        const double ratio = contrast(color, page);
        if (ratio < contrast_min)
            return std::unexpected(
                fmt::format("{} has a contrast of {:.1f} on the {} page and cannot be read well; "
                            "choose a color with at least 4.5",
                            color, ratio, name));
    }
    return out;
}

std::string PageColors::style() const {
    return fmt::format(
        ":root{{--accent:{};--on-accent:{}}}\n"
        "@media (prefers-color-scheme:dark){{:root{{--accent:{};--on-accent:{}}}}}\n",
        light, text_on(light), dark, text_on(dark));
}

}  // namespace consentry
