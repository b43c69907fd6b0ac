// Settings of the service's edge: proxies in front, pages of other origins, how much one client may ask.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "http/steps/cors.hpp"
#include "http/steps/networks.hpp"

namespace consentry {

using namespace setting_types;

std::vector<SettingSpec> edge_settings() {
    constexpr std::string_view group = "Browsers, proxies and limits";
    return {
        {.name = "HTTP_TRUSTED_PROXIES",
         .group = group,
         .type = list_of<http::Networks, &Config::http, &HttpConfig::trusted_proxies>(
             "addresses or networks such as 10.0.0.0/8, between commas"),
         .default_text = "",
         .description =
             "The proxies in front of the service: their `X-Forwarded-For` and `X-Forwarded-Proto` are believed, "
             "nobody else's. Without this, behind a proxy, all clients count as one, and the proxy's address stands "
             "in sessions and logs.",
         .example = "127.0.0.1,10.0.0.0/8"},
        {.name = "CORS_ALLOWED_ORIGIN",
         .group = group,
         .type = list_of<http::Cors, &Config::http, &HttpConfig::cors_origins>(
             "hosts such as app.example.com, *.example.com or localhost:5173 between commas, or *"),
         .default_text = "",
         .description =
             "The hosts whose pages may read answers in a browser. `*.example.com` is the domain and all below it; a "
             "port is compared exactly, without one it is the scheme's own. Without a scheme, http and https are "
             "treated alike; `https://app.example.com` allows https alone. Credentials are allowed for these hosts; a "
             "bare `*` allows every page, and no credentials.",
         .example = "app.example.com,*.example.org,localhost:5173"},
        {.name = "THROTTLE_LIMIT",
         .group = group,
         .type = whole_number<&Config::throttle, &ThrottleConfig::limit>(0, 1'000'000'000),
         .default_text = "10",
         .description =
             "How many requests one client address (IPv6: one /64) may send to one operation within "
             "`THROTTLE_TTL_IN_MS`; more get 429 with `Retry-After`. With Redis all instances count together. 0 is no "
             "limit. Up to 100 the bound holds for any stretch of that length; above, per window."},
        {.name = "THROTTLE_TTL_IN_MS",
         .group = group,
         .type = whole_number<&Config::throttle, &ThrottleConfig::window>(1, 3'600'000),
         .default_text = "500",
         .description = "The stretch of time that `THROTTLE_LIMIT` speaks of, in milliseconds."},
    };
}

}  // namespace consentry
