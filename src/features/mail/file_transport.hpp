// Writes mails as files <time>-<id>.eml into a folder, for evaluation and tests.
#pragma once

#include <filesystem>

#include "features/mail/transport.hpp"

namespace consentry {

class FileTransport final : public MailTransport {
public:
    // Creates the folder with access for its owner only, because mails contain login links. Throws std::runtime_error
    // if it cannot be created.
    explicit FileTransport(std::filesystem::path folder);

    bool takes_eight_bits() const override { return true; }

    // Writes the file atomically. Posting the same mail again replaces the same file.
    Posting post(const PostedMail& mail, const std::stop_token& stop) override;

private:
    const std::filesystem::path folder_;
};

}  // namespace consentry
