// Social login settings (login with identity tokens).
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "base/host_port.hpp"
#include "pages/address.hpp"

namespace consentry {
namespace {

using namespace setting_types;

constexpr std::string_view social_group = "Social login";
constexpr std::string_view https_address = "an https URL without credentials or fragment";
constexpr std::string_view client_id_list =
    "one or more client IDs of 1 to 255 printable characters each, separated by commas";

bool is_https_address(std::string_view text) {
    constexpr std::string_view scheme = "https://";
    return text.starts_with(scheme) && text.size() > scheme.size() && text.size() <= 300 && !text.contains('@') &&
           !text.contains('#') && has_possible_port(text) && std::ranges::all_of(text, is_visible);
}

bool is_client_id(std::string_view text) { return text.size() <= 255 && std::ranges::all_of(text, is_visible); }

enum class ClientsAre { websites, apps };

// Appends to the provider's list, because several settings contribute to it. The first website is that of the pages.
SettingType client_ids(SocialProviderConfig SocialConfig::* provider, ClientsAre kind) {
    return {.allowed = std::string(client_id_list),
            .read = [provider, kind](std::string_view text, Config& config) -> Read {
                const auto list = parse_list(text);
                if (!list || !std::ranges::all_of(*list, is_client_id)) return refused(std::string(client_id_list));
                SocialProviderConfig& settings = config.social.*provider;
                settings.client_ids.insert(settings.client_ids.end(), list->begin(), list->end());
                if (kind == ClientsAre::websites && !list->empty()) settings.web_client_id = list->front();
                return {};
            },
            .show = [](const Config&) { return std::string(); }};
}

// Google documents this setting, but verifying identity tokens does not need it.
SettingType unused_secret() {
    const std::string allowed = "not empty";
    return {.allowed = allowed,
            .read = [allowed](std::string_view text, Config&) -> Read {
                if (trim(text).empty()) return refused(allowed);
                return {};
            },
            .show = [](const Config&) { return std::string(); },
            .secret = true};
}

SettingType nonce_required() {
    const std::string allowed = "true or false";
    return {
        .allowed = allowed,
        .read = [allowed](std::string_view text, Config& config) -> Read {
            const auto value = parse_flag(text);
            if (!value) return refused(allowed);
            config.social.google.nonce_required = config.social.apple.nonce_required = *value;
            return {};
        },
        .show =
            [](const Config& config) { return std::string(config.social.google.nonce_required ? "true" : "false"); }};
}

SettingSpec carrier_header(std::string_view name) {
    return {.name = name,
            .group = social_group,
            .type = only("Authorization", "proxies, caches and logs treat no other header as a secret"),
            .default_text = "Authorization",
            .description = "The header that carries an ID token of this provider. Only `Authorization` is supported."};
}
SettingSpec carrier_prefix(std::string_view name) {
    return {.name = name,
            .group = social_group,
            .type = only("Bearer", "RFC 6750 defines this scheme"),
            .default_text = "Bearer",
            .description = "The scheme before the token in that header. Only `Bearer` is supported."};
}

template <auto Provider, auto Member>
SettingType address() {
    return text<&Config::social, Provider, Member>(std::string(https_address), is_https_address);
}

template <auto Provider>
SettingSpec authorization_url(std::string_view name, std::string_view usual) {
    return {
        .name = name,
        .group = social_group,
        .type = text<&Config::social, Provider, &SocialProviderConfig::authorization_url>(
            std::string(https_address), [](std::string_view value) { return ConfiguredUrl::parse(value).has_value(); }),
        .default_text = usual,
        .description =
            "The authorization endpoint of this provider, to which the button on the pages sends a browser."};
}

}  // namespace

std::vector<SettingSpec> social_settings() {
    return {
        {.name = "AUTH_SOCIAL_GOOGLE_CLIENT_ID",
         .group = social_group,
         .type = client_ids(&SocialConfig::google, ClientsAre::websites),
         .default_text = "none: login with Google is off",
         .derived = true,
         .description = "The client IDs of the applications whose Google ID tokens are accepted. The button on the "
                        "pages uses the first one. An application that requests tokens on behalf of another (`azp` "
                        "differs from `aud`) needs both IDs in this list.",
         .example = "1234567890-abc.apps.googleusercontent.com"},
        {.name = "AUTH_SOCIAL_GOOGLE_CLIENT_SECRET",
         .group = social_group,
         .type = unused_secret(),
         .default_text = "none",
         .derived = true,
         .description = "Not used: Consentry verifies ID tokens with Google's public keys. The setting exists so that "
                        "it can accompany the client ID."},
        {.name = "AUTH_SOCIAL_GOOGLE_ISSUER",
         .group = social_group,
         .type = address<&SocialConfig::google, &SocialProviderConfig::issuer>(),
         .default_text = "https://accounts.google.com",
         .description = "The required issuer of the ID tokens, compared exactly. With the default, "
                        "`accounts.google.com` is accepted as well, as Google documents."},
        {.name = "AUTH_SOCIAL_GOOGLE_JWKS_URI",
         .group = social_group,
         .type = address<&SocialConfig::google, &SocialProviderConfig::jwks_uri>(),
         .default_text = "https://www.googleapis.com/oauth2/v3/certs",
         .description = "Where the issuer publishes its keys. Consentry fetches them when a token needs them, at most "
                        "once a minute."},
        authorization_url<&SocialConfig::google>("AUTH_SOCIAL_GOOGLE_AUTHORIZATION_URL",
                                                 "https://accounts.google.com/o/oauth2/v2/auth"),
        carrier_header("AUTH_SOCIAL_GOOGLE_HEADER"),
        carrier_prefix("AUTH_SOCIAL_GOOGLE_PREFIX"),
        {.name = "AUTH_SOCIAL_APPLE_CLIENT_ID",
         .group = social_group,
         .type = client_ids(&SocialConfig::apple, ClientsAre::apps),
         .default_text = "none",
         .derived = true,
         .description = "The bundle IDs of the apps whose Apple ID tokens are accepted. If neither this nor "
                        "`AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID` is set, login with Apple is off.",
         .example = "org.example.app"},
        {.name = "AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID",
         .group = social_group,
         .type = client_ids(&SocialConfig::apple, ClientsAre::websites),
         .default_text = "none",
         .derived = true,
         .description = "The services IDs of the websites whose Apple ID tokens are accepted. The button on the pages "
                        "uses the first one; without one, the pages have no button for Apple.",
         .example = "org.example.web"},
        {.name = "AUTH_SOCIAL_APPLE_ISSUER",
         .group = social_group,
         .type = address<&SocialConfig::apple, &SocialProviderConfig::issuer>(),
         .default_text = "https://appleid.apple.com",
         .description = "The required issuer of the ID tokens, compared exactly."},
        {.name = "AUTH_SOCIAL_APPLE_JWKS_URI",
         .group = social_group,
         .type = address<&SocialConfig::apple, &SocialProviderConfig::jwks_uri>(),
         .default_text = "https://appleid.apple.com/auth/keys",
         .description = "Where the issuer publishes its keys. Consentry fetches them when a token needs them, at most "
                        "once a minute."},
        authorization_url<&SocialConfig::apple>("AUTH_SOCIAL_APPLE_AUTHORIZATION_URL",
                                                "https://appleid.apple.com/auth/authorize"),
        carrier_header("AUTH_SOCIAL_APPLE_HEADER"),
        carrier_prefix("AUTH_SOCIAL_APPLE_PREFIX"),
        {.name = "AUTH_SOCIAL_CA_FILE",
         .group = social_group,
         .type = text<&Config::social, &SocialConfig::ca_file>(
             "a file path", [](std::string_view name) { return !trim(name).empty(); }),
         .default_text = "the system's CA certificates",
         .derived = true,
         .description = "A PEM file of CA certificates to trust for the key URLs above, instead of the system's. For "
                        "an issuer of your own.",
         .example = "/etc/consentry/ca.pem"},
        {.name = "AUTH_SOCIAL_NONCE_REQUIRED",
         .group = social_group,
         .type = nonce_required(),
         .default_text = "false",
         .description = "Requires every ID token to carry a `nonce` and the request to carry the same value. A nonce "
                        "that is sent is compared in any case."},
    };
}

}  // namespace consentry
