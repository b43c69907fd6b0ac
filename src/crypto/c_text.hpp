// Texts for the functions of C libraries.
#pragma once

#include <string_view>

namespace consentry::crypto {

// An empty view may have a null pointer, which the libraries do not accept.
inline const char* address(std::string_view text) { return text.data() == nullptr ? "" : text.data(); }

}  // namespace consentry::crypto
