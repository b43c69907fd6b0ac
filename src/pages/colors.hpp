// The two colors of the pages: of buttons and links, on a light and on a dark background.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace consentry {

struct PageColors {
    std::string light = "#1f5fa8";  // on a light page
    std::string dark = "#8ab8f0";   // on a dark page

    // Parses "#1f5fa8,#8ab8f0". The error is a sentence for the operator: a color is malformed, or too close to its
    // background to be read (WCAG 2.2, success criterion 1.4.3).
    static std::expected<PageColors, std::string> parse(std::string_view text);
    // The style sheet's variables: each color, and black or white for text on it, whichever is easier to read.
    std::string style() const;
};

}  // namespace consentry
