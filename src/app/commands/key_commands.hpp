// Commands that manage keys.
#pragma once

#include <string>
#include <vector>

namespace consentry {

struct NewSetting {
    std::string name;
    std::string value;
    std::string remark = {};  // comment lines about the setting, or nothing
};
// Makes every key that the settings of a production service require. Stores nothing.
std::vector<NewSetting> new_keys();

int generate_keys(bool as_json);
int rotate_keys(bool as_json);
int raise_epoch(bool keep_api_keys, bool as_json);

}  // namespace consentry
