// Placeholders in texts, such as `{{companyName}}`. An import fills them; nothing else in a text is evaluated (DOC-9).
// A text with unfilled braces cannot be published (DOC-10).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

// Returns the value of a name, or null if it has none.
using FindValue = std::function<const std::string*(std::string_view name)>;

// Replaces every placeholder that has a value. Values are inserted verbatim: the text is plain text, so nothing is
// escaped, and braces in a value do not form a placeholder. Stops soon after `bytes_max`.
std::string fill_placeholders(std::string_view text, const FindValue& find, std::size_t bytes_max);

// Returns the distinct contents of `{{` … `}}` in text order: names of placeholders, and anything else a template
// language would evaluate ("#if company"). Each is shortened and on one line. At most unfilled_max.
std::vector<std::string> unfilled_in(std::string_view text);
inline constexpr std::size_t unfilled_max = 100;

}  // namespace consentry
