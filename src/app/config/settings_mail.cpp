// Settings of mails: how they leave, and for whom they speak.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/email_address.hpp"
#include "net/smtp_url.hpp"

namespace consentry {

using namespace setting_types;

namespace {

const std::string url_allowed = "file:FOLDER, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT";

Read read_mail_url(std::string_view value, Config& config) {
    constexpr std::string_view file = "file:";
    if (value.empty() || value.contains('\0')) return refused(url_allowed);
    if (value.starts_with(file)) {
        std::string_view path = value.substr(file.size());
        if (path.starts_with("//")) path.remove_prefix(2);
        // file://HOST/PATH is somebody else's disk.
        if (path.empty() || (path.size() != value.size() - file.size() && path.front() != '/'))
            return refused(url_allowed);
        config.mail.url = file;
        config.mail.url += path;
        return {};
    }
    if (auto server = net::parse_smtp_url(value); !server) return std::unexpected(std::move(server.error()));
    config.mail.url = value;
    return {};
}

bool is_address(std::string_view text) { return canonical_email(text).has_value(); }
bool is_address_or_none(std::string_view text) { return text.empty() || is_address(text); }

}  // namespace

std::vector<SettingSpec> mail_settings() {
    constexpr std::string_view group = "Mail";
    return {
        {.name = "MAIL_URL",
         .group = group,
         .type = {.allowed = url_allowed,
                  .read = read_mail_url,
                  .show = [](const Config& config) { return config.mail.url; }},
         .default_text = "`file:<DATA_DIR>/mail`",
         .derived = true,
         .description =
             "Where mails go. `file:` writes each into a file of a folder, for trying things out. `smtp://` (port 587 "
             "where none is given) speaks to a mail server and insists on STARTTLS; `?tls=none` does without, for a "
             "server on the same machine, and then without a password. `smtps://` (port 465) is TLS from the first "
             "byte. Characters of the password such as `@` and `/` are percent-encoded. `?ca_file=FILE` trusts these "
             "certificates instead of the system's.",
         .example = "smtp://consentry:PASSWORD@mail.example.com"},
        {.name = "MAIL_CA_FILE",
         .group = group,
         .type = text<&Config::mail, &MailConfig::ca_file>("empty, or the path of a file",
                                                           [](std::string_view path) { return !path.contains('\0'); }),
         .default_text = "",
         .description = "Certificates (PEM) that the mail server's must lead to, instead of those the system trusts.",
         .example = "/etc/consentry/mail-ca.pem"},
        {.name = "EMAIL_NO_REPLY",
         .group = group,
         .type = text<&Config::mail, &MailConfig::no_reply>("an e-mail address", is_address),
         .default_text = "noreply@mail.com",
         .description = "The sender of all mails. The mail server must let the service use it."},
        {.name = "EMAIL_SUPPORT",
         .group = group,
         .type = text<&Config::mail, &MailConfig::support>("empty, or an e-mail address", is_address_or_none),
         .default_text = "",
         .description = "Where mails tell their readers to ask for help; empty: they do not.",
         .example = "support@example.com"},
        {.name = "EMAIL_ADMIN",
         .group = group,
         .type = text<&Config::mail, &MailConfig::admin>("empty, or an e-mail address", is_address_or_none),
         .default_text = "",
         .description = "Who runs the service; for reports to come. No mail goes there yet.",
         .example = "admin@example.com"},
        {.name = "QUEUE_NAMESPACE",
         .group = group,
         .type = unsupported("mails wait in the database, and services that share a server have a schema each"),
         .default_text = "none",
         .derived = true,
         .description =
             "Known, so that a start with it names the reason: mails wait in the database, where services that "
             "share a server have a schema each, and not in a queue with a namespace."},
        {.name = "EMAIL_BATCH_SIZE",
         .group = group,
         .type = whole_number<&Config::mail, &MailConfig::batch_size>(1, 1'000),
         .default_text = "100",
         .description = "How many mails one instance takes from the queue at a time."},
        {.name = "HOME_NAME",
         .group = group,
         .type = line<&Config::mail, &MailConfig::home_name>(),
         .default_text = "`APP_NAME`",
         .derived = true,
         .description = "The name that mails speak for.",
         .example = "Example"},
        {.name = "HOME_URL",
         .group = group,
         .type = {.allowed = "an http or https address without credentials, query and fragment",
                  .read = [](std::string_view value, Config& config) -> Read {
                      auto url = parse_public_url(value);
                      if (!url) return refused("an http or https address without credentials, query and fragment");
                      config.mail.home_url = std::move(*url);
                      return {};
                  },
                  .show = [](const Config& config) { return config.mail.home_url; }},
         .default_text = "`PUBLIC_URL`, else the host and port listened on",
         .derived = true,
         .description = "The site that people know, with the pages that links in mails lead to.",
         .example = "https://www.example.com"},
    };
}

}  // namespace consentry
