// The text form of a mail: RFC 5322 header, multipart/alternative of plain text and HTML (RFC 2046), UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "features/mail/repository.hpp"

namespace consentry {

struct MessageParts {
    MailId id;  // used in Message-ID, so that duplicates can be recognized
    TimePoint date;
    std::string from_name;
    std::string from;  // both addresses are ASCII
    std::string to;
    std::string kind;  // X-Mail-Kind, for mail filters
    std::string language;
    std::string subject;
    std::string text;  // lines end with \n
    std::string html;
    bool eight_bit = false;  // it goes where every byte passes: lines of other letters, too, stay whole and readable
};

// Throws std::invalid_argument if a header value spans more than one line or an address contains blanks. This prevents
// header injection.
std::string message_of(const MessageParts& parts);

}  // namespace consentry
