// What an import puts in the place of placeholders: values of a file, and some of the settings.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/commands/policy_folder.hpp"

namespace consentry {

class PolicyValues {
public:
    // Of `file`, or, if it is empty, of values.json in `folder`, which need not exist. Throws std::runtime_error if the
    // file cannot be read or is no flat JSON object of strings.
    PolicyValues(const std::filesystem::path& folder, const std::filesystem::path& file);

    // Used where the file has no value. An empty one is none.
    void add_built_in(const std::string& name, const std::string& value);

    // Fills all texts. A text that does not fit any more becomes a problem of the folder.
    void fill(PolicyFolder& folder);

    // Names of the file that no text has used, in their order.
    std::vector<std::string> unused() const;

private:
    std::map<std::string, std::string, std::less<>> values_;
    std::map<std::string, std::string, std::less<>> built_in_;
    std::set<std::string> used_;  // names of values_
};

}  // namespace consentry
