// Media types of bodies (RFC 9110 section 8.3.1).
#pragma once

#include <string_view>

#include "base/text.hpp"

namespace consentry::http {

// The type without its parameters.
inline std::string_view media_type_of(std::string_view content_type) { return trim(take_part(content_type, ';')); }

}  // namespace consentry::http
