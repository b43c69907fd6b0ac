// Legal documents as stored: a type has versions, a version has languages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/enum_names.hpp"
#include "base/locales.hpp"
#include "base/uuid.hpp"
#include "features/users/consent.hpp"
#include "features/users/user.hpp"

namespace consentry {

using TermPolicyId = Id<struct TermPolicyTag>;

enum class PolicyStatus { draft, published };

// One file, as it was when checked. Plain text; templates in it are never evaluated here.
struct PolicyContent {
    Language language = Language::en;
    std::int64_t size = 0;  // bytes
    std::string digest;     // SHA-256 of the bytes, 64 lowercase hex digits
};

struct TermPolicy {
    TermPolicyId id;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    PolicyStatus status = PolicyStatus::draft;
    std::int64_t revision = 0;            // counts the changes of a draft
    std::vector<PolicyContent> contents;  // by language, in the order of the enum
    std::optional<TimePoint> published_at;
    bool is_material = true;  // if not, acceptances of earlier versions continue to hold
    std::optional<std::string> material_reason;
    std::int64_t grace_in_days = 0;
    std::optional<std::string> processing;  // JSON; see processing_dto.hpp
    std::optional<TimePoint> grace_until;   // until then what passed before the publication still passes the guard
    TimePoint created_at;
    std::optional<UserId> created_by;  // nullopt: the operator's command
    TimePoint updated_at;
    std::optional<UserId> updated_by;
};

// What a publication means for those who have accepted an earlier version.
struct PublicationTerms {
    bool is_material = true;
    std::optional<std::string> reason = {};
    std::int64_t grace_in_days = 0;
};
inline constexpr std::int64_t grace_days_max = 365;
inline constexpr std::int64_t material_reason_length_max = 500;

inline constexpr std::string_view policy_extension = "hbs";
inline constexpr std::string_view policy_mime = "text/x-handlebars-template";
inline constexpr std::int64_t policy_text_bytes_max = 1'048'576;
inline constexpr std::int64_t policy_version_max = 999'999'999;

// Where the files are stored. Paths consist of enum names and a checked number, so no request can name another place
// (DOC-1).
struct PolicyPaths {
    std::string drafts = "term-policies";     // in the private area
    std::string published = "term-policies";  // in the public area

    std::string draft(PolicyType type, std::int64_t version, Language language) const {
        return join(drafts, type, version, language);
    }
    std::string publication(PolicyType type, std::int64_t version, Language language) const {
        return join(published, type, version, language);
    }

private:
    static std::string join(std::string_view prefix, PolicyType type, std::int64_t version, Language language) {
        std::string out(prefix);
        out.append("/").append(name_of(type)).append("/").append(std::to_string(version)).append("/");
        return out.append(name_of(language)).append(".").append(policy_extension);
    }
};

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::PolicyStatus> {
    static constexpr std::array names{std::pair{consentry::PolicyStatus::draft, std::string_view{"draft"}},
                                      std::pair{consentry::PolicyStatus::published, std::string_view{"published"}}};
};
