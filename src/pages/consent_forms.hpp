// The form that accepts a policy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "features/term_policies/dto.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

// Names the text that the page has shown, so that users do not accept one that was published in the meantime.
struct AcceptForm {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    Language language = Language::en;
    std::string content_hash;
    std::optional<std::string> shown_diff_hash;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &AcceptForm::type, "Policy type"),
            field("version", &AcceptForm::version, "Version that was shown", http::at_least(1),
                  http::at_most(policy_version_max)),
            field("language", &AcceptForm::language, "Language of the text that was shown"),
            field("contentHash", &AcceptForm::content_hash, "SHA-256 of the text that was shown, in hexadecimal",
                  http::min_length(64), http::max_length(64), http::alphanumeric, http::lowered),
            field("shownDiffHash", &AcceptForm::shown_diff_hash,
                  "SHA-256 of the comparison that was shown, in hexadecimal", http::min_length(64),
                  http::max_length(64), http::alphanumeric, http::lowered),
        };
    }
};

}  // namespace consentry
