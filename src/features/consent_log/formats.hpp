// Names in receipts and descriptions, for the log and for those who verify it.
#pragma once

#include <string_view>

namespace consentry {

inline constexpr std::string_view receipt_type = "consent-receipt+jwt";
// Different from the first line of a checkpoint, which is an origin and thus has no spaces.
inline constexpr std::string_view description_title = "description of a consent log";

}  // namespace consentry
