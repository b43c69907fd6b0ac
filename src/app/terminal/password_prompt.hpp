// Asks for a password at the terminal that controls the process.
#pragma once

#include <expected>
#include <string>

namespace consentry {

// Asks twice, because what is typed is not shown and a typo would be invisible. The error is a sentence: the entries
// differ, or there is none because the user pressed Ctrl+C or Ctrl+D. Either way the terminal shows input again.
std::expected<std::string, std::string> ask_for_password();

}  // namespace consentry
