// Request and response types of accepting and withdrawing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "features/acceptances/repository.hpp"
#include "features/term_policies/dto.hpp"
#include "features/users/dto.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct AcceptRequest {
    PolicyType type = PolicyType::terms_of_service;
    std::optional<std::int64_t> version;
    std::optional<Language> language;
    std::optional<std::string> content_hash;
    std::optional<std::string> shown_diff_hash;

    static constexpr std::string_view schema_name = "TermPolicyAcceptRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &AcceptRequest::type, "Policy type; accepts its latest version"),
            field("version", &AcceptRequest::version, "Version shown to the user; refused if a later one is published",
                  http::at_least(1), http::at_most(policy_version_max)),
            field("language", &AcceptRequest::language,
                  "Language of the text shown; default: the language of the request, if the version has it"),
            field("contentHash", &AcceptRequest::content_hash,
                  "SHA-256 of the text shown, in hexadecimal; refused unless the latest version has this text",
                  http::min_length(64), http::max_length(64), http::alphanumeric, http::lowered),
            field("shownDiffHash", &AcceptRequest::shown_diff_hash,
                  "SHA-256 of the page that showed what changed, in hexadecimal; refused unless it compares with the "
                  "latest version",
                  http::min_length(64), http::max_length(64), http::alphanumeric, http::lowered),
        };
    }
    static std::vector<AcceptRequest> examples() {
        return {
            {.type = PolicyType::terms_of_service,
             .version = 3,
             .language = Language::en,
             .content_hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
             .shown_diff_hash = {}},
            {.type = PolicyType::marketing, .version = {}, .language = {}, .content_hash = {}, .shown_diff_hash = {}}};
    }
};

struct WithdrawRequest {
    PolicyType type = PolicyType::marketing;

    static constexpr std::string_view schema_name = "TermPolicyWithdrawRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("type", &WithdrawRequest::type,
                                "Policy type; `marketing` or `cookies`, unless the operator allows others")};
    }
    static std::vector<WithdrawRequest> examples() { return {{.type = PolicyType::marketing}}; }
};

struct ContentHashResponse {
    Language language = Language::en;
    std::string content_hash;

    static constexpr std::string_view schema_name = "TermPolicyContentHashResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("language", &ContentHashResponse::language, "Language of the text"),
            field("contentHash", &ContentHashResponse::content_hash, "SHA-256 of the text, in hexadecimal"),
        };
    }
};

struct AcceptanceResponse {
    AcceptanceId id;
    AcceptanceId acceptance_id;
    UserId user_id;
    UserListResponse user;
    TermPolicyId term_policy_id;
    TermPolicyResponse term_policy;
    ConsentAction action = ConsentAction::accepted;
    Language language = Language::en;
    std::vector<ContentHashResponse> content_hashes;
    TimePoint accepted_at;
    TimePoint created_at;
    UserId created_by;
    std::optional<std::string> log_state;

    static AcceptanceResponse of(const Acceptance& acceptance, UserListResponse user, TermPolicyResponse policy) {
        AcceptanceResponse out{.id = acceptance.id,
                               .acceptance_id = acceptance.id,
                               .user_id = acceptance.user,
                               .user = std::move(user),
                               .term_policy_id = acceptance.policy,
                               .term_policy = std::move(policy),
                               .action = acceptance.action,
                               .language = acceptance.language,
                               .content_hashes = {},
                               .accepted_at = acceptance.at,
                               .created_at = acceptance.at,
                               .created_by = acceptance.user,
                               .log_state = acceptance.log_state};
        for (const auto& [language, hash] : acceptance.hashes) out.content_hashes.push_back({language, hash});
        return out;
    }

    static constexpr std::string_view schema_name = "TermPolicyAcceptanceResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &AcceptanceResponse::id, "Entry ID"),
            field("acceptanceId", &AcceptanceResponse::acceptance_id, "Same as `id`; names its receipt and proof"),
            field("userId", &AcceptanceResponse::user_id, "Account ID"),
            field("user", &AcceptanceResponse::user, "The account as it is now"),
            field("termPolicyId", &AcceptanceResponse::term_policy_id, "Policy ID"),
            field("termPolicy", &AcceptanceResponse::term_policy, "The policy"),
            field("action", &AcceptanceResponse::action, "Accepted or withdrawn"),
            field("language", &AcceptanceResponse::language, "Language of the text shown"),
            field("contentHashes", &AcceptanceResponse::content_hashes, "Hashes of the version's texts at that time"),
            field("acceptedAt", &AcceptanceResponse::accepted_at, "Time of the acceptance or withdrawal"),
            field("createdAt", &AcceptanceResponse::created_at, "Same as `acceptedAt`"),
            field("createdBy", &AcceptanceResponse::created_by, "Same as `userId`"),
            field("logState", &AcceptanceResponse::log_state,
                  "State of its entry in the consent log: `pending` or `published`; absent if the log lacks it"),
        };
    }
};

struct AcceptanceListing {
    static constexpr auto paging = http::Paging::cursor;
    static constexpr std::string_view default_column = "accepted_at";
};

}  // namespace consentry
