// A row of the table of settings.
#pragma once

#include <expected>
#include <functional>
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

}  // namespace consentry
