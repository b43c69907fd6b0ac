// Helpers for untrusted text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

// Returns the number of code points, or nullopt if the text is not valid UTF-8 (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF).
std::optional<std::size_t> code_points(std::string_view text);

// Converts only ASCII letters; all other bytes stay unchanged.
std::string to_lower_ascii(std::string_view text);
std::string to_upper_ascii(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);
void append_number(std::string& out, std::int64_t number);  // in decimal digits
std::string_view trim(std::string_view text);               // removes spaces and tabs at both ends

// Takes what stands before the first separator off the front, and the separator with it. Takes everything if there is
// no separator.
std::string_view take_part(std::string_view& rest, char separator);
// All parts, empty ones included: "a,,b" has three, and "" has one.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace consentry
