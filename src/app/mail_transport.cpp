#include "app/mail_transport.hpp"

#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "app/config/values.hpp"
#include "app/engines.hpp"
#include "base/error.hpp"
#include "base/wrong_settings.hpp"
#include "features/mail/file_transport.hpp"
#include "features/mail/smtp_transport.hpp"

namespace consentry {
namespace {

std::string base_of(const LinkConfig& link, const Config& config, std::string_view page) {
    return link.link_base_url.empty() ? fmt::format("{}/{}", config.mail.home_url, page) : link.link_base_url;
}

net::SmtpClient::Options smtp_options(const Config& config) {
    net::SmtpClient::Options options;
    auto server = net::parse_smtp_url(config.mail.url);
    if (!server) throw WrongSettings(server.error());
    options.server = std::move(*server);
    if (options.server.ca_file.empty()) options.server.ca_file = config.mail.ca_file;
    if (!options.server.ca_file.empty() && !std::filesystem::is_regular_file(options.server.ca_file))
        throw WrongSettings("the CA certificate file (ca_file or MAIL_CA_FILE) does not exist");
    return options;
}

// Returns nullopt if mails go to a server.
std::optional<std::filesystem::path> mail_folder(const Config& config) {
    const auto folder = folder_of_url(config.mail.url);
    if (!folder) return std::nullopt;
    return std::filesystem::absolute(*folder).lexically_normal();
}

}  // namespace

std::unique_ptr<MailTransport> open_mail_transport(const Config& config) {
    try {
        if (const auto folder = mail_folder(config)) {
            require_writable(*folder);
            auto transport = std::make_unique<FileTransport>(*folder);
            spdlog::info("emails are written to {} and not sent (setting MAIL_URL)", folder->string());
            return transport;
        }
        return std::make_unique<SmtpTransport>(smtp_options(config));
    } catch (const std::exception&) {
        throw_as_fault_of("MAIL_URL");
    }
}

void look_at_mail(const Config& config) {
    if (const auto folder = mail_folder(config)) return require_writable(*folder);
    const net::SmtpAnswer answer = net::SmtpClient(smtp_options(config)).greet();
    if (answer.verdict != net::SmtpAnswer::Verdict::accepted) throw Unavailable(answer.reason);
}

MailSite mail_site(const Config& config) {
    return {.name = config.mail.home_name,
            .url = config.mail.home_url,
            .support = config.mail.support,
            .verification_url = base_of(config.account.verification, config, "verify-email"),
            .forgot_password_url = base_of(config.account.forgot_password, config, "forgot-password"),
            .verification_lifetime = config.account.verification.expired,
            .forgot_password_lifetime = config.account.forgot_password.expired,
            .temporary_password_lifetime = config.password.expired_temporary,
            .set_up_lifetime = config.two_factor.setup_expired};
}

}  // namespace consentry
