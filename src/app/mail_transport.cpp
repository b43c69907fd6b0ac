#include "app/mail_transport.hpp"

#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "features/mail/file_transport.hpp"
#include "features/mail/smtp_transport.hpp"

namespace consentry {
namespace {

constexpr std::string_view file_scheme = "file:";

std::string base_of(const LinkConfig& link, const Config& config, std::string_view page) {
    return link.link_base_url.empty() ? fmt::format("{}/{}", config.mail.home_url, page) : link.link_base_url;
}

}  // namespace

std::unique_ptr<MailTransport> open_mail_transport(const Config& config) {
    try {
        if (config.mail.url.starts_with(file_scheme)) {
            const auto folder =
                std::filesystem::absolute(config.mail.url.substr(file_scheme.size())).lexically_normal();
            auto transport = std::make_unique<FileTransport>(folder);
            spdlog::info("mails are written into {}, and sent to nobody (setting MAIL_URL)", folder.string());
            return transport;
        }
        net::SmtpClient::Options options;
        if (auto server = net::parse_smtp_url(config.mail.url))
            options.server = std::move(*server);
        else
            throw std::runtime_error(server.error());
        if (options.server.ca_file.empty()) options.server.ca_file = config.mail.ca_file;
        if (!options.server.ca_file.empty() && !std::filesystem::is_regular_file(options.server.ca_file))
            throw std::runtime_error("the file of certificates (ca_file, MAIL_CA_FILE) is not there");
        return std::make_unique<SmtpTransport>(std::move(options));
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("setting MAIL_URL: {}", error.what()));
    }
}

MailSite mail_site(const Config& config) {
    return {.name = config.mail.home_name,
            .url = config.mail.home_url,
            .support = config.mail.support,
            .verification_url = base_of(config.account.verification, config, "verify-email"),
            .forgot_password_url = base_of(config.account.forgot_password, config, "forgot-password"),
            .verification_lifetime = config.account.verification.expired,
            .forgot_password_lifetime = config.account.forgot_password.expired,
            .temporary_password_lifetime = config.password.expired_temporary};
}

}  // namespace consentry
