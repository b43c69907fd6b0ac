// Rejects commonly used passwords, including the spellings that guessing programs try first (PWD-4).
#pragma once

#include <string_view>

namespace consentry {

// Returns whether the password is common. The comparison ignores case and undoes look-alike characters ("P@ssw0rd"). It
// also tries the password with up to four digits or signs removed from either end ("Summer2026!"), and a repeated text
// once ("Pass1Pass1"). A password of four parts or fewer is common too. A part is a run on the keyboard or in the
// alphabet, a year, or a single character ("Abc@1234").
bool is_common_password(std::string_view password);

}  // namespace consentry
