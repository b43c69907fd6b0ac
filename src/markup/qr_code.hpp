// QR codes.
#pragma once

#include <optional>
#include <string_view>

#include "markup/safe_html.hpp"

namespace consentry::markup {

// Returns the QR code of these bytes as an <svg> element for a page, or nothing if they are too many for a code (2331,
// with the error correction that screens need).
//
// `label` is plain text that says what the code is for, to those who do not see it. The code is dark on light with its
// quiet zone in every color scheme, since many cameras read no inverted code. A module is four pixels wide unless a
// style sheet sets another size. Pure; takes about a millisecond.
std::optional<SafeHtml> qr_svg(std::string_view bytes, std::string_view label);

}  // namespace consentry::markup
