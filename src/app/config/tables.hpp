// The tables that make up settings(), each next to its subject.
#pragma once

#include <vector>

#include "app/config/setting_spec.hpp"

namespace consentry {

std::vector<SettingSpec> application_settings();
std::vector<SettingSpec> http_settings();
std::vector<SettingSpec> edge_settings();
std::vector<SettingSpec> pages_settings();
std::vector<SettingSpec> data_settings();
std::vector<SettingSpec> database_settings();
std::vector<SettingSpec> cache_settings();
std::vector<SettingSpec> token_settings();
std::vector<SettingSpec> two_factor_settings();
std::vector<SettingSpec> password_settings();
std::vector<SettingSpec> session_settings();
std::vector<SettingSpec> account_settings();
std::vector<SettingSpec> api_key_settings();
std::vector<SettingSpec> feature_flag_settings();
std::vector<SettingSpec> mail_settings();
std::vector<SettingSpec> social_settings();
std::vector<SettingSpec> storage_settings();
std::vector<SettingSpec> term_policy_settings();
std::vector<SettingSpec> consent_log_settings();
std::vector<SettingSpec> consent_controller_settings();
std::vector<SettingSpec> list_settings();
std::vector<SettingSpec> logger_settings();
std::vector<SettingSpec> security_event_settings();
std::vector<SettingSpec> error_tracking_settings();
std::vector<SettingSpec> metrics_settings();
std::vector<SettingSpec> health_settings();

}  // namespace consentry
