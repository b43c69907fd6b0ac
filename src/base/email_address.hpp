#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry {

// Returns the canonical form of an address, in which it is stored and compared (INP-7), or nullopt if `text` is not a
// valid address. The canonical form has no surrounding white space and is all lower case. The local part has at most 64
// characters out of ASCII letters, digits, '-', '_', '.' and '+'. The domain has at least two labels, the last
// consisting of letters. Internationalized labels are validated by IDNA2008 and converted to A-labels ("xn--...").
std::optional<std::string> canonical_email(std::string_view text);

}  // namespace consentry
