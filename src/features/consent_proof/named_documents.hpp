// Which documents the addenda and publication records of a bundle name by their SHA-256, in hexadecimal. Pure
// functions. A text that cannot be read names none.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

// The comparison page that was shown.
std::vector<std::string> hashes_in_addendum(std::string_view text);
// The text in each language, by the code of the language.
std::map<std::string, std::string, std::less<>> texts_in_record(std::string_view text);
// These texts, and the description of the processing.
std::vector<std::string> hashes_in_record(std::string_view text);

}  // namespace consentry
