// The parts of which settings() is made, each beside its subject.
#pragma once

#include <vector>

#include "app/config/settings.hpp"

namespace consentry {

std::vector<SettingSpec> application_settings();
std::vector<SettingSpec> http_settings();
std::vector<SettingSpec> data_settings();
std::vector<SettingSpec> database_settings();
std::vector<SettingSpec> cache_settings();
std::vector<SettingSpec> token_settings();
std::vector<SettingSpec> two_factor_settings();
std::vector<SettingSpec> password_settings();
std::vector<SettingSpec> session_settings();

}  // namespace consentry
