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
    std::vector<std::string> taken_over = {};  // what the keys that were there are for
};
// The same for an installation whose data are in this folder. Takes over the keys that APP_ENV=local has made there:
// other keys would lock the second factors of its accounts, and the consent log could not continue. Makes the rest.
// `database_url`: of the settings; empty if they name none. Throws std::runtime_error if a key cannot be read, or if it
// is missing beside the accounts of a SQLite file.
InstallationKeys keys_of_installation(const std::filesystem::path& data_folder, const std::string& database_url);

int generate_keys(bool as_json);
int rotate_keys(bool as_json);
int raise_epoch(bool keep_api_keys, bool as_json);

}  // namespace consentry
