// Settings of lists and of the data kept for them.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"

namespace consentry {
namespace {

using namespace setting_types;

constexpr std::size_t secret_length_min = 32;
constexpr std::string_view secrets_allowed = "one or more secrets of at least 32 characters each, separated by commas";

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
    constexpr std::string_view group = "Encryption and activity log";
    return {
        {.name = "APP_ENCRYPTION_SECRET_KEY",
         .group = group,
         .type = {.allowed = std::string(secrets_allowed),
                  .read = read_secrets,
                  .show = [](const Config&) { return std::string(); },
                  .secret = true},
         .default_text = "with `APP_ENV=local` generated at the first start; otherwise required",
         .derived = true,
         .description =
             "Encrypts emails waiting to be sent, list cursors and the cookies of guarded hosts "
             "(`FORWARD_AUTH_HOSTS`), and signs the URLs of files in a local folder. All "
             "instances need the same value, for example the output of `openssl rand -base64 32`. To rotate it, put "
             "the new secret before the old one, separated by a comma, and remove the old one after three days: the "
             "service retries an email for that long and cannot read one whose secret is gone. With guarded hosts, "
             "keep it for `AUTH_JWT_REFRESH_TOKEN_EXPIRED` if that is longer, because their cookies live that long. "
             "Cursors are valid for a day, file URLs for `AWS_S3_PRESIGN_EXPIRED_IN_SECONDS`."},
        {.name = "ACTIVITY_LOG_RETENTION_IN_DAYS",
         .group = group,
         .type = whole_number<&Config::activity, &ActivityConfig::retention>(0, 36'500),
         .default_text = "0",
         .description =
             "The number of days after which activity log entries, and the evidence of administrators' acts, are "
             "deleted. 0 keeps them forever. If you raise it, `consentry log verify admin` needs the former value as "
             "`--retention`."},
    };
}

}  // namespace consentry
