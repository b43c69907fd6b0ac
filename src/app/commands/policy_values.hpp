// Values for the placeholders of imported texts: from a file and from some of the settings.
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
    // Reads `file` or, if it is empty, values.json in `folder`, which need not exist. Throws std::runtime_error if the
    // file cannot be read or is not a flat JSON object of strings.
    PolicyValues(const std::filesystem::path& folder, const std::filesystem::path& file);

    // Adds a fallback for a name that the file does not define. An empty value is ignored.
    void add_built_in(const std::string& name, const std::string& value);

    // Fills the placeholders of all texts. A text that becomes invalid as a result is reported as a problem of the
    // folder.
    void fill(PolicyFolder& folder);

    // Returns the names in the file that no text has used, in order.
    std::vector<std::string> unused() const;

private:
    std::map<std::string, std::string, std::less<>> values_;
    std::map<std::string, std::string, std::less<>> built_in_;
    std::set<std::string> used_;  // names of values_
};

}  // namespace consentry
