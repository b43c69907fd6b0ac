// The mails that a service wrote to its folder (MAIL_URL=file:FOLDER, the default), decoded as a mail client does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/service.hpp"

namespace consentry::tests {

struct ReceivedMail {
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, values unfolded and decoded
    std::string from;                                          // the address only
    std::string to;
    std::string subject;
    std::string kind;  // "verifyEmail", for example
    std::string text;
    std::string html;
    std::string raw;

    std::string header(std::string_view lower_case_name) const;
    // The address behind the button: the first one after the only line of text that ends with a colon. Empty if there
    // is none.
    std::string link() const;
    // The part of the link after the last slash.
    std::string token() const;
    std::string secret() const;
};

ReceivedMail read_mail(const std::string& raw);

class Mailbox {
public:
    explicit Mailbox(const Service& service) : folder_(service.folder() / "data" / "mail") {}
    explicit Mailbox(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Returns all mails, oldest first, filtered by `to` and by kind or subject if given.
    std::vector<ReceivedMail> all(std::string_view to = {}, std::string_view kind_or_subject = {}) const;
    // Waits for the `nth` mail (from 0) to this address and of this kind or subject. Throws std::runtime_error after
    // ten seconds.
    ReceivedMail wait_for(std::string_view to, std::string_view kind_or_subject, std::size_t nth = 0) const;
    // Deletes all mails received so far.
    void clear() const;

private:
    const std::filesystem::path folder_;
};

}  // namespace consentry::tests
