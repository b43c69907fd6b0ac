// Policy documents as authors keep them on disk: DIR/type/version/language.hbs, and processing.json beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "features/term_policies/policy.hpp"

namespace consentry {

struct PolicyText {
    Language language = Language::en;
    std::string bytes;
};

struct PolicyVersion {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    std::vector<PolicyText> texts;               // by language, in the order of the enum; at least one
    std::optional<std::string> processing = {};  // of processing.json, as it is stored
};

struct PolicyFolder {
    std::vector<PolicyVersion> versions;  // by type and version
    std::vector<std::string> problems;    // "privacy/1/xx.hbs: ...", complete
};

inline constexpr const char* processing_name = "processing.json";

// "privacy/1/en.hbs"
std::string name_of(PolicyType type, std::int64_t version, Language language);

// Reports every entry that does not fit the layout as a problem, so that a misspelled name is not mistaken for a
// missing text. Ignores only hidden files and files directly in `folder`, such as a README or values.json. Throws
// std::runtime_error if the folder cannot be read.
PolicyFolder read_policy_folder(const std::filesystem::path& folder);

}  // namespace consentry
