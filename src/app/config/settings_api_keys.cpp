// API key settings.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"

namespace consentry {

using namespace setting_types;

std::vector<SettingSpec> api_key_settings() {
    constexpr std::string_view group = "API keys";
    return {
        {.name = "AUTH_API_KEY_REQUIRED",
         .group = group,
         .type = flag<&Config::api_key, &ApiKeyConfig::required>(),
         .default_text = "false",
         .description =
             "Requires an API key in the `x-api-key` header of API requests, except `hello` and health. Paths "
             "outside the global prefix need none: pages, metrics, published keys, published files, the consent log "
             "and the API documentation. The service checks any key that is sent, even if this is off. Endpoints for "
             "other services always require a key of type `system`."},
        {.name = "AUTH_API_KEY_CACHE_PREFIX_KEY",
         .group = group,
         .type =
             text<&Config::api_key, &ApiKeyConfig::cache_prefix>("1 to 64 letters, digits and ._:-", is_cache_prefix),
         .default_text = "ApiKey",
         .description = "The prefix of API keys in the cache, followed by a colon."},
    };
}

}  // namespace consentry
