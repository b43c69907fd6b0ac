// consentry policy: legal documents in the hands of whoever runs the service, beside the service itself.
#pragma once

#include <cstdint>
#include <string>

namespace consentry {

struct PolicyOptions {
    std::string folder;
    std::string values;  // a file; empty: values.json in the folder, if it is there
    bool dry_run = false;
    std::string type;
    std::int64_t version = 0;
    std::int64_t other_version = 0;
    std::string language = "en";
    bool preview = false;
};

// Drafts of all texts of a folder (policy_folder.hpp). Everything is looked at first, and where one thing is wrong,
// nothing is imported; what was published already with the same bytes is left alone. On standard output all that is
// wrong, or what became of each text. Placeholders are filled (policy_values.hpp); those without a value stay in the
// draft, with a warning.
int import_policies(const PolicyOptions& options);

// On standard output, for each language, the hash of its text and where everybody reads it. With `preview` how many
// users would be asked to accept again, and nothing is published.
int publish_policy(const PolicyOptions& options);

int list_policies();

// Of two versions' texts, as `diff -u` prints it.
int diff_policies(const PolicyOptions& options);

}  // namespace consentry
