// Account settings: verification links, names, deletion.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "features/users/username.hpp"

namespace consentry {
namespace {

using namespace setting_types;

constexpr std::int64_t minutes_max = 10'080;  // one week
// 22 alphanumeric characters carry 130 random bits (SES-4 requires 128).
constexpr std::int64_t token_length_min = 22;
constexpr std::int64_t token_length_max = 200;
constexpr std::string_view public_url_allowed = "an http or https URL without credentials, query or fragment";

bool is_reference_prefix(std::string_view text) {
    return !text.empty() && text.size() <= 10 &&
           std::ranges::all_of(text, [](char c) { return is_upper_letter(c) || is_digit(c); });
}

bool is_username_prefix(std::string_view text) {
    return !text.empty() && text.size() <= 30 && has_username_characters(text);
}

template <LinkConfig AccountConfig::* Link>
SettingType base_url() {
    return {.allowed = std::string(public_url_allowed),
            .read = [](std::string_view value, Config& config) -> Read {
                const auto url = parse_public_url(value);
                if (!url) return refused(std::string(public_url_allowed));
                (config.account.*Link).link_base_url = *url;
                return {};
            },
            .show = [](const Config& config) { return (config.account.*Link).link_base_url; }};
}

}  // namespace

std::vector<SettingSpec> account_settings() {
    constexpr std::string_view group = "Accounts";
    return {
        {.name = "USERNAME_PREFIX",
         .group = group,
         .type = text<&Config::account, &AccountConfig::username_prefix>("1 to 30 lowercase letters, digits, - and _",
                                                                         is_username_prefix),
         .default_text = "user",
         .description = "The beginning of the usernames of new accounts. A dash and random letters and digits follow."},
        {.name = "ACCOUNT_ERASE_AFTER_IN_DAYS",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::erase_after>(0, 3'650),
         .default_text = "30",
         .description =
             "How many days the email address and personal data of a deleted account are kept, for later inquiries. "
             "The account cannot be used from the moment it is deleted, and its address can sign up again at once."},
        {.name = "LINK_REQUESTS_MAX_PER_CLIENT",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::link_requests_per_client_max>(0, 100'000),
         .default_text = "100",
         .description =
             "How many requests for links, to verify an address or reset a password, one client can make in ten "
             "minutes. A further request gets the same response, but no link is sent. A client is an IPv4 address or "
             "an IPv6 /64. Clients behind a proxy that `HTTP_TRUSTED_PROXIES` does not name count as one. "
             "`0` means no limit. `THROTTLE_LIMIT`, which counts all requests, does not change this limit."},
        {.name = "VERIFICATION_EXPIRED_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::expired>(1, minutes_max),
         .default_text = "5",
         .description = "How long the link that verifies the email address of a new account is valid."},
        {.name = "VERIFICATION_RESEND_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::resend>(1, minutes_max),
         .default_text = "2",
         .description =
             "The minimum time between two requested verification links for the same address. The link of the "
             "sign-up does not count: a link can be requested right after it."},
        {.name = "VERIFICATION_TOKEN_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::token_length>(
             token_length_min, token_length_max),
         .default_text = "100",
         .description = "The number of letters and digits in the token of the link."},
        {.name = "VERIFICATION_LINK_BASE_URL",
         .group = group,
         .type = base_url<&AccountConfig::verification>(),
         .default_text = "the page `/verify-email` of this service, or of `HOME_URL` if this service serves no pages",
         .derived = true,
         .description = "The page that the verification link opens. Consentry appends a slash and the token; a page of "
                        "your own must send the token to the service. Links are built from this setting alone.",
         .example = "https://www.example.com/verify-email"},
        {.name = "VERIFICATION_REFERENCE_PREFIX",
         .group = group,
         .type = text<&Config::account, &AccountConfig::verification, &LinkConfig::reference_prefix>(
             "1 to 10 uppercase letters and digits", is_reference_prefix),
         .default_text = "VER",
         .description = "The prefix of the reference that identifies a verification link in the database."},
        {.name = "VERIFICATION_REFERENCE_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::reference_length>(16, 64),
         .default_text = "25",
         .description = "The number of random characters after the prefix of the reference."},
        {.name = "VERIFICATION_OTP_LENGTH",
         .group = group,
         .type = {.allowed = "6",
                  .read = [](std::string_view text, Config&) -> Read {
                      if (text != "6") return refused("6");
                      return {};
                  },
                  .show = [](const Config&) { return std::string("6"); }},
         .default_text = "6",
         .description = "Has no effect: Consentry verifies addresses by link and sends no one-time codes. The setting "
                        "exists so that configurations that contain it keep working."},
        {.name = "FORGOT_PASSWORD_EXPIRED_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::expired>(1, minutes_max),
         .default_text = "5",
         .description = "How long the link that resets a forgotten password is valid."},
        {.name = "FORGOT_PASSWORD_RESEND_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::resend>(1, minutes_max),
         .default_text = "2",
         .description = "The minimum time between two password reset links for the same address."},
        {.name = "FORGOT_PASSWORD_TOKEN_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::token_length>(
             token_length_min, token_length_max),
         .default_text = "100",
         .description = "The number of letters and digits in the token of the link."},
        {.name = "FORGOT_PASSWORD_LINK_BASE_URL",
         .group = group,
         .type = base_url<&AccountConfig::forgot_password>(),
         .default_text =
             "the page `/forgot-password` of this service, or of `HOME_URL` if this service serves no pages",
         .derived = true,
         .description = "The page that the password reset link opens. Consentry appends a slash and the token.",
         .example = "https://www.example.com/forgot-password"},
        {.name = "FORGOT_PASSWORD_REFERENCE_PREFIX",
         .group = group,
         .type = text<&Config::account, &AccountConfig::forgot_password, &LinkConfig::reference_prefix>(
             "1 to 10 uppercase letters and digits", is_reference_prefix),
         .default_text = "FG",
         .description = "The prefix of the reference that identifies a password reset link in the database."},
        {.name = "FORGOT_PASSWORD_REFERENCE_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::reference_length>(16, 64),
         .default_text = "25",
         .description = "The number of random characters after the prefix of the reference."},
    };
}

}  // namespace consentry
