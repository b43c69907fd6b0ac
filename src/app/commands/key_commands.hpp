// Commands that manage keys.
#pragma once

#include <filesystem>
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

struct InstallationKeys {
    std::vector<NewSetting> settings;
    bool are_taken_over = false;  // at least one of them
};
// The same for an installation whose data are in this folder. Takes over the keys that APP_ENV=local has made there:
// other keys would lock the second factors of its accounts, and the consent log could not continue. Makes the rest.
// Throws std::runtime_error if a key cannot be read.
InstallationKeys keys_of_installation(const std::filesystem::path& data_folder);

int generate_keys(bool as_json);
int rotate_keys(bool as_json);
int raise_epoch(bool keep_api_keys, bool as_json);

}  // namespace consentry
