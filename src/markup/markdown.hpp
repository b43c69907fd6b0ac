// Markdown as HTML for pages.
#pragma once

#include <string_view>

#include "markup/safe_html.hpp"

namespace consentry::markup {

// Renders a text in Markdown (CommonMark 0.30), which may come from anyone. Plain text becomes paragraphs. Bytes that
// are not valid UTF-8 become U+FFFD.
//
// - HTML in the text is shown, not interpreted.
// - Links lead to http, https and mailto only; the text of others remains. An image is a link to it.
// - `heading_shift` is added to the level of headings, up to level 6: with 1, the page keeps its only h1.
//
// Pure. Takes about 0.1 ms, and 80 ms more for each megabyte, so keep the result of a long text. The worst texts take
// ten times as long, and their HTML has ten times their length.
SafeHtml render_markdown(std::string_view text, int heading_shift = 1);

}  // namespace consentry::markup
