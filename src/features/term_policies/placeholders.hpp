// Placeholders in texts: `{{companyName}}`. An import fills them, and nothing else in a text is evaluated (DOC-9). No
// text with braces that nobody filled is published (DOC-10).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

// The value of a name; null: there is none.
using FindValue = std::function<const std::string*(std::string_view name)>;

// The text with the values of all placeholders that have one. Values go in as they are: a text is plain text, so
// nothing is escaped, and braces in a value are no placeholder. Stops soon after `bytes_max`.
std::string fill_placeholders(std::string_view text, const FindValue& find, std::size_t bytes_max);

// What stands between each `{{` and `}}`, once each, in the order of the text: names of placeholders, and whatever else
// a template language would evaluate ("#if company"). Shortened and on one line. At most unfilled_max.
std::vector<std::string> unfilled_in(std::string_view text);
inline constexpr std::size_t unfilled_max = 100;

}  // namespace consentry
