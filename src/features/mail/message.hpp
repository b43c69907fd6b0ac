// A mail as text: RFC 5322 header, multipart/alternative of plain text and HTML (RFC 2046), UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "features/mail/repository.hpp"

namespace consentry {

struct MessageParts {
    MailId id;  // names it in Message-ID: a mail that arrives twice can be told
    TimePoint date;
    std::string from_name;
    std::string from;  // addresses in ASCII
    std::string to;
    std::string kind;  // X-Mail-Kind, for filters
    std::string language;
    std::string subject;
    std::string text;  // lines end with \n
    std::string html;
};

// Throws std::invalid_argument where a part of the header is more than one line, or an address more than one word:
// nothing that is put in may begin a header of its own.
std::string message_of(const MessageParts& parts);

}  // namespace consentry
