// Settings of accounts: the links that prove an address, names, deletion.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "features/users/username.hpp"

namespace consentry {
namespace {

using namespace setting_types;

constexpr std::int64_t minutes_max = 10'080;  // a week
// 22 letters and digits carry 130 random bits (SES-4 asks for 128).
constexpr std::int64_t token_length_min = 22;
constexpr std::int64_t token_length_max = 200;
constexpr std::string_view url_allowed = "an http or https address without credentials, query and fragment";

bool is_reference_prefix(std::string_view text) {
    return !text.empty() && text.size() <= 10 &&
           std::ranges::all_of(text, [](char c) { return is_upper_letter(c) || is_digit(c); });
}

bool is_username_prefix(std::string_view text) {
    return !text.empty() && text.size() <= 30 && has_username_characters(text);
}

template <LinkConfig AccountConfig::* Link>
SettingType base_url() {
    return {.allowed = std::string(url_allowed),
            .read = [](std::string_view value, Config& config) -> Read {
                const auto url = parse_public_url(value);
                if (!url) return refused(std::string(url_allowed));
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
         .type = text<&Config::account, &AccountConfig::username_prefix>("1 to 30 small letters, digits, - and _",
                                                                         is_username_prefix),
         .default_text = "user",
         .description = "What the user names of new accounts begin with; a dash and random letters and digits follow."},
        {.name = "ACCOUNT_ERASE_AFTER_IN_DAYS",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::erase_after>(0, 3'650),
         .default_text = "30",
         .description =
             "How long the address and the traces of a deleted account are kept, for questions that come afterwards. "
             "It cannot be used from the moment it is deleted, and its address can sign up anew at once."},
        {.name = "VERIFICATION_EXPIRED_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::expired>(1, minutes_max),
         .default_text = "5",
         .description = "How long the link works that proves the address of a new account."},
        {.name = "VERIFICATION_RESEND_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::resend>(1, minutes_max),
         .default_text = "2",
         .description = "The least time between two such links that are asked for with the same address."},
        {.name = "VERIFICATION_TOKEN_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::token_length>(
             token_length_min, token_length_max),
         .default_text = "100",
         .description = "How many letters and digits the token in the link has."},
        {.name = "VERIFICATION_LINK_BASE_URL",
         .group = group,
         .type = base_url<&AccountConfig::verification>(),
         .default_text = "`HOME_URL` with `/verify-email` behind it",
         .derived = true,
         .description =
             "The page of yours that the link leads to, with a slash and the token behind it. The page hands "
             "the token to the service. Links are built from this setting alone.",
         .example = "https://www.example.com/verify-email"},
        {.name = "VERIFICATION_REFERENCE_PREFIX",
         .group = group,
         .type = text<&Config::account, &AccountConfig::verification, &LinkConfig::reference_prefix>(
             "1 to 10 capital letters and digits", is_reference_prefix),
         .default_text = "VER",
         .description = "What the reference of such a link begins with, which names it in the database."},
        {.name = "VERIFICATION_REFERENCE_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::verification, &LinkConfig::reference_length>(16, 64),
         .default_text = "25",
         .description = "How many random characters follow in the reference."},
        {.name = "VERIFICATION_OTP_LENGTH",
         .group = group,
         .type = {.allowed = "6",
                  .read = [](std::string_view text, Config&) -> Read {
                      if (text != "6") return refused("6");
                      return {};
                  },
                  .show = [](const Config&) { return std::string("6"); }},
         .default_text = "6",
         .description = "Addresses are proven by links; one-time numbers are not sent. The setting is known so that "
                        "configurations that name it work, and has no effect."},
        {.name = "FORGOT_PASSWORD_EXPIRED_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::expired>(1, minutes_max),
         .default_text = "5",
         .description = "How long the link works that lets somebody set a new password."},
        {.name = "FORGOT_PASSWORD_RESEND_IN_MINUTES",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::resend>(1, minutes_max),
         .default_text = "2",
         .description = "The least time between two such links that are asked for with the same address."},
        {.name = "FORGOT_PASSWORD_TOKEN_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::token_length>(
             token_length_min, token_length_max),
         .default_text = "100",
         .description = "How many letters and digits the token in the link has."},
        {.name = "FORGOT_PASSWORD_LINK_BASE_URL",
         .group = group,
         .type = base_url<&AccountConfig::forgot_password>(),
         .default_text = "`HOME_URL` with `/forgot-password` behind it",
         .derived = true,
         .description = "The page of yours that the link leads to, with a slash and the token behind it.",
         .example = "https://www.example.com/forgot-password"},
        {.name = "FORGOT_PASSWORD_REFERENCE_PREFIX",
         .group = group,
         .type = text<&Config::account, &AccountConfig::forgot_password, &LinkConfig::reference_prefix>(
             "1 to 10 capital letters and digits", is_reference_prefix),
         .default_text = "FG",
         .description = "What the reference of such a link begins with."},
        {.name = "FORGOT_PASSWORD_REFERENCE_LENGTH",
         .group = group,
         .type = whole_number<&Config::account, &AccountConfig::forgot_password, &LinkConfig::reference_length>(16, 64),
         .default_text = "25",
         .description = "How many random characters follow in the reference."},
    };
}

}  // namespace consentry
