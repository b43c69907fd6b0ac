// Settings of lists and of what is kept for them.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"

namespace consentry {
namespace {

using namespace setting_types;

constexpr std::size_t secret_length_min = 32;
constexpr std::string_view secrets_allowed = "one or more secrets between commas, each 32 characters or longer";

Read read_secrets(std::string_view text, Config& config) {
    auto secrets = parse_list(text);
    if (!secrets ||
        std::ranges::any_of(*secrets, [](const std::string& one) { return one.size() < secret_length_min; }))
        return refused(std::string(secrets_allowed));
    config.encryption.secrets = std::move(*secrets);
    return {};
}

}  // namespace

std::vector<SettingSpec> list_settings() {
    constexpr std::string_view group = "Lists";
    return {
        {.name = "APP_ENCRYPTION_SECRET_KEY",
         .group = group,
         .type = {.allowed = std::string(secrets_allowed),
                  .read = read_secrets,
                  .show = [](const Config&) { return std::string(); },
                  .secret = true},
         .default_text = "with APP_ENV=local made at the first start; else required",
         .derived = true,
         .description =
             "Seals the mails that wait to be sent and the cursors of lists, and signs the addresses of files in a "
             "local "
             "folder; the same for all instances, for instance the output of `openssl rand -base64 32`. To change it, "
             "put the new secret before the old one with a comma between, and remove the old one after three days: the "
             "service tries to send a mail for that long, and it cannot read a mail whose secret is gone. Cursors are "
             "good for a day, addresses of files for `AWS_S3_PRESIGN_EXPIRED_IN_SECONDS`."},
        {.name = "ACTIVITY_LOG_RETENTION_IN_DAYS",
         .group = group,
         .type = whole_number<&Config::activity, &ActivityConfig::retention>(0, 36'500),
         .default_text = "0",
         .description = "After how many days entries of the activity log are deleted; 0 is never."},
    };
}

}  // namespace consentry
