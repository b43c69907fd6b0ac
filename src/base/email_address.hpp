// E-mail addresses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry {

// The one spelling of an address that is stored and compared (INP-7): without blanks around it; before the '@' at most
// 64 ASCII letters, digits, '-', '_', '.', '+'; a domain of at least two labels, the last of letters; all in lower
// case. Labels of other scripts are accepted as IDNA2008 takes them, and become A-labels ("xn--..."). nullopt: no
// address.
std::optional<std::string> canonical_email(std::string_view text);

}  // namespace consentry
