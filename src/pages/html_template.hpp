// Templates of pages: HTML with marks, in the manner of Mustache.
//
//     {{name}}                 a value; text is escaped for the place where it stands
//     {{#name}} … {{/name}}    shown if the value is true or not empty; once for each view of a list
//     {{^name}} … {{/name}}    shown if it is not
//     {{>file}}                another template
//     {{@key}}                 the message pages.<key> in the language of the page, with the values it names
//     {{! remark }}
//
// There is no mark for text that is not escaped: only a value of type Html is shown as it is. A template is checked
// when it is read: a value may stand in text and in quoted attributes only, where escaping is enough; no attribute
// holds a script or a style; every name and every message exists. In an attribute that holds an address, a value at its
// beginning must be an address with a harmless scheme, and a later one is percent-encoded.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/html.hpp"
#include "base/locales.hpp"
#include "pages/view.hpp"

namespace consentry {

// The message names file and line.
class TemplateFault : public std::runtime_error {
public:
    TemplateFault(std::string_view file, std::size_t line, const std::string& what);
};

namespace detail {
struct TemplateNode;
}

class HtmlTemplate {
public:
    // What the templates of one folder have in common.
    struct Surroundings {
        const Locales& locales;
        // Returns the text of another template; throws std::out_of_range if there is none.
        std::function<std::string(std::string_view file)> read;
    };
    // `names` are the values that its views may hold, lists' included. Throws TemplateFault.
    HtmlTemplate(const Surroundings& surroundings, std::string_view file, std::span<const std::string> names);
    ~HtmlTemplate();
    HtmlTemplate(HtmlTemplate&&) noexcept;

    // A name without a value shows nothing. Throws std::logic_error if the view holds a name that was not declared.
    Html render(Language language, const View& view) const;

private:
    const Locales* locales_;
    std::vector<std::string> names_;
    std::vector<detail::TemplateNode> nodes_;
};

}  // namespace consentry
