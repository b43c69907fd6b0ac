// Helpers for untrusted text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace consentry {

// Returns the number of code points, or nullopt if the text is not valid UTF-8 (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF).
std::optional<std::size_t> code_points(std::string_view text);

// Converts only ASCII letters; all other bytes stay unchanged.
std::string to_lower_ascii(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);
void append_number(std::string& out, std::int64_t number);  // in decimal digits
std::string_view trim(std::string_view text);               // removes spaces and tabs at both ends

}  // namespace consentry
