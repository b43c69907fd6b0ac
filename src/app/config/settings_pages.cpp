// Settings of the pages, and of browsers that return from them.
#include <algorithm>
#include <string>
#include <string_view>

#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "pages/address.hpp"

namespace consentry {

using namespace setting_types;

namespace {

// A path, or nothing.
template <auto Member>
SettingType optional_path(std::string allowed) {
    return {.allowed = allowed,
            .read = [allowed](std::string_view value, Config& config) -> Read {
                if (value.contains('\0')) return refused(allowed);
                config.pages.*Member = value;
                return {};
            },
            .show = [](const Config& config) { return (config.pages.*Member).string(); }};
}

constexpr std::string_view pages_group = "Pages";

// Browsers refuse a cookie for a domain of one label, and for an IP address (RFC 6265, sections 5.1.3 and 5.3).
bool is_cookie_domain(std::string_view text) {
    const auto dot = text.rfind('.');
    return dot != text.npos && text.find_first_of(":/") == text.npos &&
           !std::ranges::all_of(text.substr(dot + 1), is_digit) && ReturnHosts::parse({std::string(text)}).has_value();
}

std::vector<SettingSpec> guarded_host_settings() {
    return {
        {.name = "FORWARD_AUTH_HOSTS",
         .group = pages_group,
         .type = list_of<ReturnHosts, &Config::pages, &PagesConfig::return_hosts>(
             "host names such as app.example.com, or origins such as http://localhost:8080, separated by commas"),
         .default_text = "",
         .description = "The hosts, besides this service, to which a browser may return after a login: those of the "
                        "applications that forward auth guards. Without a scheme, browsers reach a host over https.",
         .example = "app.example.com,wiki.example.com"},
        {.name = "FORWARD_AUTH_COOKIE_DOMAIN",
         .group = pages_group,
         .type = {.allowed = "empty, or a domain such as example.com",
                  .read = [](std::string_view value, Config& config) -> Read {
                      if (!value.empty() && !is_cookie_domain(value))
                          return refused("empty, or a domain such as example.com");
                      config.pages.cookie_domain = to_lower_ascii(value);
                      return {};
                  },
                  .show = [](const Config& config) { return config.pages.cookie_domain; }},
         .default_text = "",
         .description =
             "Gives all guarded hosts of this domain one cookie. Each of their applications can use the cookie at the "
             "others, and every host of the domain can set it. If empty, each host has its own cookie.",
         .example = "example.com"},
    };
}

}  // namespace

std::vector<SettingSpec> pages_settings() {
    std::vector<SettingSpec> out{
        {.name = "PAGES_ENABLE",
         .group = pages_group,
         .type = flag<&Config::pages, &PagesConfig::enable>(),
         .default_text = "true",
         .description =
             "Serves the pages on which people log in and manage their accounts. They require a `PUBLIC_URL` "
             "with https and without a path; on `localhost`, http works too."},
        {.name = "PAGES_NAME",
         .group = pages_group,
         .type = {.allowed = "empty, or 1 to 100 characters on one line",
                  .read = [](std::string_view value, Config& config) -> Read {
                      if (value.empty()) return config.pages.name.clear(), Read{};
                      return line<&Config::pages, &PagesConfig::name>().read(value, config);
                  },
                  .show = [](const Config& config) { return config.pages.name; }},
         .default_text = "",
         .description = "The name at the top of each page. If empty, `APP_NAME`.",
         .example = "Example Inc."},
        {.name = "PAGES_LOGO",
         .group = pages_group,
         .type = optional_path<&PagesConfig::logo>("empty, or the path of an image"),
         .default_text = "",
         .description = "The image beside the name: a file of at most 24 kB that ends in .svg, .png, .jpg, .jpeg or "
                        ".webp.",
         .example = "/etc/consentry/logo.svg"},
        {.name = "PAGES_COLOR",
         .group = pages_group,
         .type = {
             .allowed = "two colors such as #1f5fa8,#8ab8f0",
             .read = [](std::string_view value, Config& config) -> Read {
                 auto colors = PageColors::parse(value);
                 if (!colors) return std::unexpected(std::move(colors.error()));
                 config.pages.colors = std::move(*colors);
                 return {};
             },
             .show = [](const Config& config) { return config.pages.colors.light + "," + config.pages.colors.dark; }},
         .default_text = "#1f5fa8,#8ab8f0",
         .description =
             "The color of buttons and links, on light pages and on dark pages. The service refuses to start "
             "with a color that is hard to read there."},
        {.name = "PAGES_DIR",
         .group = pages_group,
         .type = optional_path<&PagesConfig::directory>("empty, or a folder path"),
         .default_text = "",
         .description = "A folder with templates and a style sheet that replace the files of the same names in "
                        "`assets/pages`. Consentry checks them at startup.",
         .example = "/etc/consentry/pages"},
    };
    std::ranges::move(guarded_host_settings(), std::back_inserter(out));
    return out;
}

}  // namespace consentry
