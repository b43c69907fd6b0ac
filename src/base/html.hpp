// Text in HTML.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace consentry {

// Replaces the characters that have a meaning in HTML, in text and in quoted attributes.
std::string html_escaped(std::string_view text);

// A string literal of the program: nothing that comes from outside can become one.
class HtmlLiteral {
public:
    template <std::size_t N>
    consteval HtmlLiteral(const char (&text)[N]) : text_(text, N - 1) {}  // NOLINT(google-explicit-constructor)
    std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

class HtmlTemplate;
namespace markup {
struct SafeHtmlMaker;
}

// HTML that holds only our own markup: it is put together from literals of the program, escaped text and other HTML. A
// function that takes Html cannot be given text by mistake.
class Html {
public:
    Html() = default;
    explicit Html(HtmlLiteral literal) : text_(literal.text()) {}
    // The text as people read it. Control characters, which are no text in HTML, become U+FFFD; a carriage return,
    // which browsers show as another line, is left out.
    static Html of_text(std::string_view text);

    Html& operator+=(const Html& other) { return text_.append(other.text_), *this; }
    Html& operator+=(HtmlLiteral literal) { return text_.append(literal.text()), *this; }
    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }

private:
    friend class HtmlTemplate;            // renders what the program or its operator wrote
    friend struct markup::SafeHtmlMaker;  // renders foreign text without its markup, and QR codes
    static Html rendered(std::string text) {
        Html out;
        out.text_ = std::move(text);
        return out;
    }
    std::string text_;
};

}  // namespace consentry
