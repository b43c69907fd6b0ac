// Mail settings: how mails are sent, and on whose behalf.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "net/smtp_url.hpp"

namespace consentry {

using namespace setting_types;

namespace {

const std::string mail_url_allowed = "file:FOLDER, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT";

Read read_mail_url(std::string_view value, Config& config) {
    if (value.empty() || value.contains('\0')) return refused(mail_url_allowed);
    if (value.starts_with(file_scheme)) {
        auto url = parse_folder_url(value);
        if (!url) return refused(mail_url_allowed);
        config.mail.url = std::move(*url);
        return {};
    }
    if (auto server = net::parse_smtp_url(value); !server) return std::unexpected(std::move(server.error()));
    config.mail.url = value;
    return {};
}

}  // namespace

std::vector<SettingSpec> mail_settings() {
    constexpr std::string_view group = "Mail";
    return {
        {.name = "MAIL_URL",
         .group = group,
         .type = {.allowed = mail_url_allowed,
                  .read = read_mail_url,
                  .show = [](const Config& config) { return config.mail.url; },
                  .may_hold_password = true},
         .default_text = "`file:<DATA_DIR>/mail`",
         .derived = true,
         .description = "How emails are sent. `file:` writes each email to a file in a folder, for trials. `smtp://` "
                        "(default port 587) connects to a mail server and requires STARTTLS; `?tls=none` turns TLS "
                        "off, for a server on the same machine, and then allows no password. `smtps://` (default port "
                        "465) uses TLS from the start. Percent-encode characters such as `@` and `/` in the password. "
                        "`?ca_file=FILE` names the CA certificates to trust instead of the system's.",
         .example = "smtp://consentry:PASSWORD@mail.example.com"},
        {.name = "MAIL_CA_FILE",
         .group = group,
         .type = text<&Config::mail, &MailConfig::ca_file>("empty, or a file path",
                                                           [](std::string_view path) { return !path.contains('\0'); }),
         .default_text = "",
         .description = "A PEM file of CA certificates to trust for the mail server, instead of the system's.",
         .example = "/etc/consentry/mail-ca.pem"},
        {.name = "EMAIL_NO_REPLY",
         .group = group,
         .type = email_address<&Config::mail, &MailConfig::no_reply>(),
         .default_text = "noreply@mail.com",
         .description = "The sender address of all emails. The mail server must allow the service to use it."},
        {.name = "EMAIL_SUPPORT",
         .group = group,
         .type = email_address_or_none<&Config::mail, &MailConfig::support>(),
         .default_text = "",
         .description = "The support address that emails mention. If empty, they mention none.",
         .example = "support@example.com"},
        {.name = "EMAIL_ADMIN",
         .group = group,
         .type = email_address_or_none<&Config::mail, &MailConfig::admin>(),
         .default_text = "",
         .description = "The address of the operator. Not used yet: Consentry sends no email to it.",
         .example = "admin@example.com"},
        {.name = "QUEUE_NAMESPACE",
         .group = group,
         .type = unsupported("emails wait in the database, not in a queue with a namespace"),
         .default_text = "none",
         .derived = true,
         .description =
             "Not supported. Emails wait in the database, not in a queue with a namespace; services that share a "
             "database server each need their own schema. If you set this, the service refuses to start and says why."},
        {.name = "EMAIL_BATCH_SIZE",
         .group = group,
         .type = whole_number<&Config::mail, &MailConfig::batch_size>(1, 1'000),
         .default_text = "100",
         .description = "The maximum number of emails that one instance takes from the queue at a time."},
        {.name = "HOME_NAME",
         .group = group,
         .type = line<&Config::mail, &MailConfig::home_name>(),
         .default_text = "`APP_NAME`",
         .derived = true,
         .description = "The name of your site in emails.",
         .example = "Example"},
        {.name = "HOME_URL",
         .group = group,
         .type = {.allowed = "an http or https URL without credentials, query or fragment",
                  .read = [](std::string_view value, Config& config) -> Read {
                      auto url = parse_public_url(value);
                      if (!url) return refused("an http or https URL without credentials, query or fragment");
                      config.mail.home_url = std::move(*url);
                      return {};
                  },
                  .show = [](const Config& config) { return config.mail.home_url; }},
         .default_text = "`PUBLIC_URL`, or the host and port the service listens on",
         .derived = true,
         .description =
             "The URL of your site. Emails link to it. If the service does not serve its own pages, the links in "
             "emails that verify an address or reset a password begin with it, too.",
         .example = "https://www.example.com"},
    };
}

}  // namespace consentry
