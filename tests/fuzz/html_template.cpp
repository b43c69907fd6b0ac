// Templates: whatever the template and the values are, a value brings no markup into the page, and a template that
// cannot be used is refused with a sentence.
#include "pages/html_template.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    static const Locales locales;
    static const std::vector<std::string> names{"a", "b"};
    // The template, and after a NUL the value.
    const std::string_view input = fuzz::text_of(data, size);
    const auto end = std::min(input.find('\0'), input.size());
    const std::string text(input.substr(0, end));
    const std::string value(input.substr(std::min(end + 1, input.size())));
    try {
        const HtmlTemplate page({locales, [&](std::string_view file) { return file == "page" ? text : "{{a}}"; }},
                                "page", names);
        const auto shown = [&](const std::string& a) {
            return page.render(Language::en, View().text("a", a).list("b", {View().text("a", a)})).text();
        };
        const auto count = [](const std::string& html, char c) { return std::ranges::count(html, c); };
        const std::string with = shown(value);
        const std::string without = shown("x");
        // A value that is empty shows other sections than one that is not.
        if (value.empty()) return 0;
        for (const char c : {'<', '>', '"'})
            fuzz::require(count(with, c) == count(without, c), "a value brings no markup");
    } catch (const TemplateFault& fault) {
        fuzz::require(*fault.what() != 0, "a fault is a sentence");
    }
    return 0;
}
