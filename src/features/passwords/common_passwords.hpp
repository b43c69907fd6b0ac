// Passwords that many people use, in every spelling that guessing programs try first (PWD-4).
#pragma once

#include <cstddef>
#include <string_view>

namespace consentry {

// Whether the password is one of them. It is compared without case and with look-alike signs undone ("P@ssw0rd"), with
// up to four digits or signs taken off either end ("Summer2026!"), and once where it repeats a text ("Pass1Pass1"). A
// password of four parts or fewer is one as well; a part is a run on the keyboard or in the alphabet, a year, or a
// single character ("Abc@1234").
bool is_common_password(std::string_view password);

// Entries of the list.
std::size_t common_password_count();

}  // namespace consentry
