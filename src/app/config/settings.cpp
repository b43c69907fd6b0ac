#include "app/config/settings.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "app/config/tables.hpp"

namespace consentry {

std::span<const SettingSpec> settings() {
    static const std::vector<SettingSpec> all = [] {
        std::vector<SettingSpec> rows;
        for (const auto table :
             {application_settings, http_settings,         edge_settings,           pages_settings,
              data_settings,        database_settings,     cache_settings,          token_settings,
              two_factor_settings,  password_settings,     session_settings,        account_settings,
              api_key_settings,     feature_flag_settings, mail_settings,           social_settings,
              storage_settings,     term_policy_settings,  consent_log_settings,    consent_controller_settings,
              list_settings,        logger_settings,       security_event_settings, error_tracking_settings,
              metrics_settings,     health_settings})
            std::ranges::move(table(), std::back_inserter(rows));
        return rows;
    }();
    return all;
}

const SettingSpec* find_setting(std::string_view name) {
    const auto found = std::ranges::find(settings(), name, &SettingSpec::name);
    return found == settings().end() ? nullptr : &*found;
}

}  // namespace consentry
