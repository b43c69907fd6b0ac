// Makes text supplied by clients safe to show in a mail. Recipients trust mails of the service, so client text must
// never read as an address or as a message from a third party.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

// Keeps letters, digits, blanks and dashes, at most 40 of them. Without a dot, slash, colon or at-sign of any script,
// no mail program turns the text into a link.
std::string shown_name(std::string_view text);

// Returns e.g. "Firefox, Linux": the browser and the system if recognized, otherwise an empty string.
std::string shown_agent(std::string_view user_agent);

// Returns an IPv4 or IPv6 address unchanged, and an empty string for any other text.
std::string shown_address(std::string_view text);

}  // namespace consentry
