// Percent-encoding (RFC 3986 section 2.1).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace consentry {

// Appends '%' and two uppercase hexadecimal digits.
void append_percent_encoded(std::string& out, char c);
// Encodes all characters except the unreserved ones of RFC 3986 section 2.3 and those in `kept`.
std::string percent_encoded(std::string_view text, std::string_view kept = {});

// The octet of the escape whose '%' stands at `percent`, or -1 if its two digits are missing.
int octet_at(std::string_view text, std::size_t percent);

// Decodes application/x-www-form-urlencoded text: '+' is a space. Returns nullopt if a '%' is not followed by two
// hexadecimal digits.
std::optional<std::string> form_decoded(std::string_view text);
// The same for input that may be malformed: an invalid '%' is kept literally.
std::string loosely_form_decoded(std::string_view text);

}  // namespace consentry
