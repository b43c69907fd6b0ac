// HTML that may be placed in a page as it stands.
#pragma once

#include <string>
#include <utility>

namespace consentry::markup {

// Whole, balanced elements of HTML in UTF-8. They contain no script, no style and no reference that a browser loads by
// itself. Only the functions of this folder make such values.
class SafeHtml {
public:
    const std::string& text() const& { return text_; }
    std::string text() && { return std::move(text_); }

private:
    friend struct SafeHtmlMaker;
    explicit SafeHtml(std::string text) : text_(std::move(text)) {}

    std::string text_;
};

// For the functions of this folder alone: whoever calls this vouches for the text.
struct SafeHtmlMaker {
    static SafeHtml of(std::string text) { return SafeHtml(std::move(text)); }
};

}  // namespace consentry::markup
