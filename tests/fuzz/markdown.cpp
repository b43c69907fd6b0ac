// Texts in Markdown: whatever they contain, the HTML has only harmless elements, each closed in its order.
#include "markup/markdown.hpp"

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/markup_checks.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string html = markup::render_markdown(fuzz::text_of(data, size)).text();
    fuzz::require(tests::complaint_about(html).empty(), "markdown: only harmless elements");
    return 0;
}
