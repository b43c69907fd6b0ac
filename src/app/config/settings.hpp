// The table of settings. Reading, documenting and printing all work from it, so that they cannot diverge.
//
// To add a setting, add a member to config.hpp and a row to the settings_*.cpp of its group. Then regenerate the two
// documents with `consentry config docs` and `consentry config env-example`; a test compares them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/config/setting_spec.hpp"

namespace consentry {

std::span<const SettingSpec> settings();  // in the order of the documents, by group
const SettingSpec* find_setting(std::string_view name);

// docs/guides/configuration.md and .env.example.
std::string settings_markdown();
std::string settings_env_example();

}  // namespace consentry
