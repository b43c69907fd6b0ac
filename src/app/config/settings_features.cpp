// Feature flag settings.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"

namespace consentry {

using namespace setting_types;

std::vector<SettingSpec> feature_flag_settings() {
    constexpr std::string_view group = "Feature flags";
    return {
        {.name = "FEATURE_FLAG_CACHE_PREFIX_KEY",
         .group = group,
         .type = text<&Config::feature_flag, &FeatureFlagConfig::cache_prefix>("1 to 64 letters, digits and ._:-",
                                                                               is_cache_prefix),
         .default_text = "FeatureFlag",
         .description = "The prefix of feature flags in the cache, followed by a colon."},
        {.name = "FEATURE_FLAG_CACHE_TTL_MS",
         .group = group,
         .type = whole_number<&Config::feature_flag, &FeatureFlagConfig::cache_ttl>(0, 86'400'000),
         .default_text = "3600000",
         .description = "How long the cache keeps a feature flag, in milliseconds. 0 reads the database every time. A "
                        "change made through the service takes effect at once in any case, unless a failover of Redis "
                        "loses it at that moment."},
    };
}

}  // namespace consentry
