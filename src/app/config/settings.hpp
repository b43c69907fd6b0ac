// The table of settings. Reading, documenting and printing all work from it, so that they cannot diverge.
//
// To add a setting, add a member to config.hpp and a row to the settings_*.cpp of its group. Then regenerate the two
// documents with `consentry config docs` and `consentry config env-example`; a test compares them.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/config/config.hpp"

namespace consentry {

// Converts text to a value of Config and back. Created by the functions of setting_types.hpp.
struct SettingType {
    std::string allowed;  // "an integer from 1 to 65535": completes "must be"
    std::function<std::expected<void, std::string>(std::string_view text, Config& config)> read;
    std::function<std::string(const Config& config)> show;
    bool secret = false;
    bool may_hold_password = false;  // the value is an address, which may have one as a part
};

struct SettingSpec {
    std::string_view name;
    std::string_view group;
    SettingType type;
    std::string_view default_text;  // as written in the environment; empty: none
    bool derived = false;           // default_text is an explanation: the value is derived from other settings
    std::string_view description;   // one paragraph
    std::string_view example = {};  // if the default does not show what a value looks like
};

std::span<const SettingSpec> settings();  // in the order of the documents, by group
const SettingSpec* find_setting(std::string_view name);

// docs/guides/configuration.md and .env.example.
std::string settings_markdown();
std::string settings_env_example();

}  // namespace consentry
