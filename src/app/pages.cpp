#include "app/pages.hpp"

#include "app/config/own_url.hpp"

namespace consentry {
namespace {

SiteSettings site_settings(const Config& config, const ReturnHosts& hosts) {
    return {.name = config.pages.name,
            .logo = config.pages.logo,
            .colors = config.pages.colors,
            .folder = config.pages.directory,
            .languages = config.app.languages,
            .return_hosts = hosts,
            .documentation = config.app.documentation};
}

// As browsers write it: in lower case, without the usual port.
std::string origin_of(const std::string& public_url) {
    const auto parsed = ReturnHosts::parse({public_url});
    return public_url.empty() || !parsed ? public_url : parsed->origins().front();
}

// Those that know this website: which clients they know is a setting.
std::vector<WebProvider> web_providers(const SocialConfig& config) {
    std::vector<WebProvider> out;
    for (const SocialProvider provider : all_social_providers) {
        const SocialProviderConfig& one = provider == SocialProvider::google ? config.google : config.apple;
        if (one.web_client_id.empty()) continue;
        out.push_back({.provider = provider,
                       .client_id = one.web_client_id,
                       .authorization = ConfiguredUrl::parse(one.authorization_url).value()});
    }
    return out;
}

AccountArea::Parts account_parts(Services& services) {
    return {.locales = services.locales,
            .sessions = services.sessions,
            .users = services.users,
            .two_factor = services.two_factor,
            .acceptances = services.consents,
            .accounts = services.accounts,
            .account_export = services.account_export,
            .profiles = services.profiles,
            .consent_log = services.consent_log.get()};
}

}  // namespace

std::unique_ptr<Website> open_website(Services& services) {
    const Config& config = services.config;
    if (!can_serve_pages(config)) return nullptr;
    const ReturnHosts hosts = ReturnHosts::parse(config.pages.return_hosts).value();
    return std::make_unique<Website>(
        Website::Parts{.clock = services.clock,
                       .locales = services.locales,
                       .flags = services.feature_flags,
                       .sessions = services.sessions,
                       .roles = services.roles,
                       .acceptances = services.consents,
                       .policies = services.term_policies,
                       .diffs = services.policy_diffs,
                       .login = services.login,
                       .social_guard = services.social_guard,
                       .accounts = services.accounts,
                       .links = services.link_requests,
                       .passwords = services.passwords,
                       .confirmation = services.confirmation,
                       .two_factor = services.two_factor,
                       .hand_over = services.hand_over,
                       .host_cookies = services.host_cookies,
                       .guarded_callers = services.forward_auth_guard,
                       .account = account_parts(services)},
        WebsiteSettings{.site = site_settings(config, hosts),
                        .guard = {.origin = origin_of(config.app.public_url),
                                  .cookies = PageCookies(config.app.public_url.starts_with("https:")),
                                  .return_hosts = hosts,
                                  .secrets = config.encryption.secrets,
                                  .languages = config.app.languages,
                                  .default_language = config.app.language},
                        .api_prefix = config.http.global_prefix,
                        .url = own_url(config),
                        .providers = web_providers(config.social)});
}

}  // namespace consentry
