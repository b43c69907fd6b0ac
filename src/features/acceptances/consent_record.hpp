// The record of an acceptance or withdrawal: JSON-LD in the terms of the Data Privacy Vocabulary (DPV). Pure functions.
//
// Only types that can be withdrawn are consent in the sense of the law; accepting terms is a contract, and a privacy
// policy is information. The others therefore get a receipt of the acceptance in the same form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/acceptances/repository.hpp"
#include "features/term_policies/processing_dto.hpp"

namespace consentry {

struct RecordSettings {
    bool is_consent = false;               // the type can be withdrawn
    std::optional<Controller> controller;  // unless the version names another
    std::string notice_address;
};

// `continued` are the later versions whose changes were not material, so that the acceptance holds for them too.
std::string consent_record(const RecordFacts& facts, const TermPolicy& policy, const std::vector<TermPolicy>& continued,
                           const RecordSettings& settings);

}  // namespace consentry
