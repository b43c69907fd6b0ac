// Mails as files of a folder, <time>-<id>.eml: for trying things out, and for tests.
#pragma once

#include <filesystem>

#include "features/mail/transport.hpp"

namespace consentry {

class FileTransport final : public MailTransport {
public:
    // Makes the folder, for its owner alone: mails let people in. Throws std::runtime_error where it cannot be made.
    explicit FileTransport(std::filesystem::path folder);

    // A file is there whole or not at all. The same mail again is the same file.
    Posting post(const PostedMail& mail, const std::stop_token& stop) override;

private:
    const std::filesystem::path folder_;
};

}  // namespace consentry
