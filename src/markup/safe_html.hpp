// HTML that may be placed in a page as it stands.
#pragma once

#include <string>
#include <utility>

#include "base/html.hpp"

namespace consentry::markup {

// Whole, balanced elements of HTML in UTF-8. They contain no script, no style and no reference that a browser loads by
// itself.
using SafeHtml = Html;

// For the functions of this folder alone: the caller vouches for the text.
struct SafeHtmlMaker {
    static SafeHtml of(std::string text) { return Html::rendered(std::move(text)); }
};

}  // namespace consentry::markup
