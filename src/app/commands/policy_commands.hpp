// consentry policy: lets the operator manage legal documents beside the running service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace consentry {

struct PolicyOptions {
    std::string folder;
    std::string values;  // a file; empty: values.json in the folder, if present
    bool dry_run = false;
    std::string type;
    std::int64_t version = 0;
    std::int64_t other_version = 0;
    std::string language = "en";
    bool preview = false;
    std::optional<std::string> not_material;  // why the change is not material
    std::int64_t grace_in_days = 0;
    bool html = false;
    bool json = false;
};

// Imports all texts of a folder (policy_folder.hpp) as drafts. Validates everything first and imports nothing if there
// is any problem; skips texts that are already published with the same bytes. Prints all problems, or the outcome for
// each text, to standard output. Fills placeholders (policy_values.hpp); those without a value stay in the draft and
// cause a warning.
int import_policies(const PolicyOptions& options);

// Prints for each language the hash of its text and its public URL to standard output. With `preview`, prints how many
// users would have to accept if the change is material, and publishes nothing.
int publish_policy(const PolicyOptions& options);

int list_policies(const PolicyOptions& options);

// Prints the differences between the texts of two versions as `diff -u` does, or as the page that users see.
int diff_policies(const PolicyOptions& options);

}  // namespace consentry
