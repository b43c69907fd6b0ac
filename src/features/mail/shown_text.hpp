// What clients say about themselves, as it may stand in a mail. People trust mails of the service: nothing in them may
// read as an address or a message that somebody else put there.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

// Letters, digits, blanks and dashes, at most 40 of them; with no dot, slash, colon or at-sign in any script, no mail
// program makes a link of it.
std::string shown_name(std::string_view text);

// "Firefox, Linux": the browser and the system as far as their names are known; otherwise empty.
std::string shown_agent(std::string_view user_agent);

// An IPv4 or IPv6 address as it is; anything else is empty.
std::string shown_address(std::string_view text);

}  // namespace consentry
