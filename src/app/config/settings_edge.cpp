// Settings of the service's edge: reverse proxies, CORS, rate limits per client.
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
             "addresses or networks such as 10.0.0.0/8, separated by commas"),
         .default_text = "",
         .description = "The proxies in front of the service. Consentry trusts `X-Forwarded-For`, `X-Forwarded-Proto` "
                        "and, in forward auth, the headers that describe the original request from these addresses "
                        "only. If you run behind a proxy and do not list it, "
                        "all clients count as one, and sessions and logs show the proxy's address.",
         .example = "127.0.0.1,10.0.0.0/8"},
        {.name = "CORS_ALLOWED_ORIGIN",
         .group = group,
         .type = list_of<http::Cors, &Config::http, &HttpConfig::cors_origins>(
             "hosts such as app.example.com, *.example.com or localhost:5173, separated by commas, or *"),
         .default_text = "",
         .description = "The hosts whose pages may read responses in a browser. `*.example.com` matches the domain and "
                        "all its subdomains. A port must match exactly; without one, the default port of the scheme "
                        "applies. Without a scheme, both http and https match; `https://app.example.com` allows https "
                        "only. Listed hosts may send credentials; a bare `*` allows every page, but no credentials.",
         .example = "app.example.com,*.example.org,localhost:5173"},
        {.name = "THROTTLE_LIMIT",
         .group = group,
         .type = whole_number<&Config::throttle, &ThrottleConfig::limit>(0, 1'000'000'000),
         .default_text = "10",
         .description = "The maximum number of requests that one client address (IPv6: one /64) may send to one "
                        "operation within `THROTTLE_TTL_IN_MS`. Further requests get 429 with `Retry-After`. With "
                        "Redis, all instances share the count. 0 turns the limit off. Up to 100, the limit applies to "
                        "a sliding window; above 100, to fixed windows."},
        {.name = "THROTTLE_TTL_IN_MS",
         .group = group,
         .type = whole_number<&Config::throttle, &ThrottleConfig::window>(1, 3'600'000),
         .default_text = "500",
         .description = "The window of `THROTTLE_LIMIT`, in milliseconds."},
    };
}

}  // namespace consentry
