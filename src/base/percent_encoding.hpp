// "%41" for "A" (RFC 3986 section 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry {

// Appends '%' and two upper-case digits.
void append_percent_encoded(std::string& out, char c);
// All but the unreserved characters of RFC 3986 section 2.3 and those of `kept`.
std::string percent_encoded(std::string_view text, std::string_view kept = {});

// As browsers write queries (application/x-www-form-urlencoded): '+' is a blank. nullopt: a '%' without two digits.
std::optional<std::string> form_decoded(std::string_view text);
// The same for whoever looks into an address that may be none: such a '%' stands for itself.
std::string loosely_form_decoded(std::string_view text);

}  // namespace consentry
