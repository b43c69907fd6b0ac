// Settings of the keys that programs show.
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
             "Whether every request must show an API key in `x-api-key`, but for `hello`, health, metrics, the "
             "published keys and the API documentation. A key that is sent is checked either way, and what "
             "is for other services always needs one of type `system`."},
        {.name = "AUTH_API_KEY_CACHE_PREFIX_KEY",
         .group = group,
         .type =
             text<&Config::api_key, &ApiKeyConfig::cache_prefix>("1 to 64 letters, digits and ._:-", is_cache_prefix),
         .default_text = "ApiKey",
         .description = "What stands before an API key in the cache, with a colon between."},
    };
}

}  // namespace consentry
