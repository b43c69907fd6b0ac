// The mails that a service wrote into its folder (MAIL_URL=file:FOLDER, the default), as their readers see them.
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
    std::string from;                                          // the address
    std::string to;
    std::string subject;
    std::string kind;  // "verifyEmail"
    std::string text;
    std::string html;
    std::string raw;

    std::string header(std::string_view lower_case_name) const;
    // The address behind the button: the first that follows the one line of text with a colon at its end. Empty: none.
    std::string link() const;
    // What comes after the last slash of the link.
    std::string token() const;
    // The temporary password.
    std::string secret() const;
};

ReceivedMail read_mail(const std::string& raw);

class Mailbox {
public:
    explicit Mailbox(const Service& service) : folder_(service.folder() / "data" / "mail") {}
    explicit Mailbox(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // All of them, oldest first; `to` and `kind` where given.
    std::vector<ReceivedMail> all(std::string_view to = {}, std::string_view kind_or_subject = {}) const;
    // The `nth` (from 0) of those to this address, of this kind or subject, as soon as it is there. Throws
    // std::runtime_error after ten seconds.
    ReceivedMail wait_for(std::string_view to, std::string_view kind_or_subject, std::size_t nth = 0) const;
    // Throws away what is there.
    void clear() const;

private:
    const std::filesystem::path folder_;
};

}  // namespace consentry::tests
