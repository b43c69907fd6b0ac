#include "base/html.hpp"

#include "base/ascii.hpp"

namespace consentry {

std::string html_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out.push_back(c);
        }
    }
    return out;
}

Html Html::of_text(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    for (const char c : text) {
        if (c == '\r') continue;
        if (is_control(c) && c != '\t' && c != '\n')
            clean += "\uFFFD";
        else
            clean.push_back(c);
    }
    return rendered(html_escaped(clean));
}

}  // namespace consentry
