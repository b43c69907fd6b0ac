// A time as people read it, the same in all languages.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace consentry {

// "2026-11-25 10:40 UTC"
inline std::string shown_time(TimePoint time) {
    std::string text = to_iso8601(time).substr(0, 16);  // of 2026-11-25T10:40:07.000Z
    text[10] = ' ';
    return text + " UTC";
}

}  // namespace consentry
