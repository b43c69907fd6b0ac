// Documents as people who write them keep them: DIR/type/version/language.hbs.
#pragma once

#include <cstdint>
#include <filesystem>
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
    std::vector<PolicyText> texts;  // by language, in the order of the enum; at least one
};

struct PolicyFolder {
    std::vector<PolicyVersion> versions;  // by type and version
    std::vector<std::string> problems;    // "privacy/1/xx.hbs: ...", all there are
};

// "privacy/1/en.hbs"
std::string name_of(PolicyType type, std::int64_t version, Language language);

// Whatever has no place is a problem, for a misspelled name must not pass for a text that is not there. Only hidden
// files and those directly in `folder`, like a README or values.json, are left alone. Throws std::runtime_error where
// it cannot be read.
PolicyFolder read_policy_folder(const std::filesystem::path& folder);

}  // namespace consentry
