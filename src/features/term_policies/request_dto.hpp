// Wire formats of the requests of term policy authors, and of the responses that only they receive.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "features/term_policies/dto.hpp"
#include "features/term_policies/processing_dto.hpp"
#include "features/term_policies/term_policies.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

inline constexpr http::Max greatest_version = http::at_most(policy_version_max);
inline constexpr http::Max greatest_size = http::at_most(policy_text_bytes_max);

struct ContentPresignRequest {
    PolicyType type = PolicyType::terms_of_service;
    Language language = Language::en;
    std::int64_t version = 0;
    std::int64_t size = 0;

    static constexpr std::string_view schema_name = "TermPolicyContentPresignRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &ContentPresignRequest::type, "Policy type"),
            field("language", &ContentPresignRequest::language, "Language of the text"),
            field("version", &ContentPresignRequest::version, "Policy version; need not exist yet", http::at_least(1),
                  greatest_version),
            field("size", &ContentPresignRequest::size, "File size in bytes; the upload must match", http::at_least(1),
                  greatest_size),
        };
    }
};

struct ContentRequest {
    Language language = Language::en;
    std::string key;
    std::int64_t size = 0;

    ContentFile file() const { return {.language = language, .key = key, .size = size}; }

    static constexpr std::string_view schema_name = "TermPolicyContentRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("language", &ContentRequest::language, "Language of the text"),
            field("key", &ContentRequest::key, "Storage key from the upload URL response", http::not_empty),
            field("size", &ContentRequest::size, "File size in bytes", http::at_least(1), greatest_size),
        };
    }
};

struct ContentRemovalRequest {
    Language language = Language::en;

    static constexpr std::string_view schema_name = "TermPolicyRemoveContentRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("language", &ContentRemovalRequest::language, "Language of the text")};
    }
};

struct TermPolicyCreateRequest {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    std::vector<ContentRequest> contents;
    std::optional<Processing> processing;

    NewTermPolicy wanted() const {
        NewTermPolicy out{.type = type, .version = version, .contents = {}};
        if (processing) out.processing = processing_text(*processing);
        for (const ContentRequest& content : contents) out.contents.push_back(content.file());
        return out;
    }

    static constexpr std::string_view schema_name = "TermPolicyCreateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &TermPolicyCreateRequest::type, "Policy type"),
            field("version", &TermPolicyCreateRequest::version, "Version; the highest published one is the latest",
                  http::at_least(1), greatest_version),
            field("contents", &TermPolicyCreateRequest::contents, "Uploaded files, each language once",
                  http::MinItems(1), http::MaxItems(EnumNames<Language>::names.size())),
            field("processing", &TermPolicyCreateRequest::processing,
                  "The version's description of the processing of personal data"),
        };
    }
    static void check(const TermPolicyCreateRequest& request, Report& report) {
        std::vector<Language> languages;
        languages.reserve(request.contents.size());
        for (const ContentRequest& content : request.contents) languages.push_back(content.language);
        std::ranges::sort(languages);
        if (languages.empty()) report.add("arrayNotEmpty", "contents");
        if (std::ranges::adjacent_find(languages) != languages.end()) report.add("arrayUnique", "contents");
        if (request.processing) check_processing(*request.processing, "processing.", report);
    }
};

struct TermPolicyProcessingRequest {
    std::optional<Processing> processing;

    static constexpr std::string_view schema_name = "TermPolicyProcessingRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("processing", &TermPolicyProcessingRequest::processing,
                                "The version's description of the processing of personal data; absent: removes it")};
    }
    static void check(const TermPolicyProcessingRequest& request, Report& report) {
        if (request.processing) check_processing(*request.processing, "processing.", report);
    }
};

struct TermPolicyPublishRequest {
    std::optional<bool> is_material;
    std::optional<std::string> material_reason;
    std::optional<std::int64_t> grace_in_days;

    PublicationTerms terms() const {
        return {.is_material = is_material.value_or(true),
                .reason = material_reason,
                .grace_in_days = grace_in_days.value_or(0)};
    }

    static constexpr std::string_view schema_name = "TermPolicyPublishRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("isMaterial", &TermPolicyPublishRequest::is_material,
                  "`false` if the change does not affect users, such as a corrected typo: acceptances of earlier "
                  "versions remain valid. Default `true`; the first version of a type is always material"),
            field("materialReason", &TermPolicyPublishRequest::material_reason,
                  "Why the change is material or not; public. Required if `isMaterial` is `false`", http::not_empty,
                  http::max_length(material_reason_length_max), http::one_line_name),
            field("graceInDays", &TermPolicyPublishRequest::grace_in_days,
                  "For this many days, users with an earlier acceptance are still admitted; only for material changes, "
                  "and not for the first version of a type",
                  http::at_least(0), http::at_most(grace_days_max)),
        };
    }
    static void check(const TermPolicyPublishRequest& request, Report& report) {
        if (request.is_material.value_or(true) || report.is_unreadable("isMaterial")) return;
        if (!request.material_reason) report.add("isNotEmpty", "materialReason");
        if (request.grace_in_days.value_or(0) > 0) report.add("max", "graceInDays", {{"max", 0}});
    }
    static std::vector<TermPolicyPublishRequest> examples() {
        return {{.is_material = true, .material_reason = {}, .grace_in_days = 30},
                {.is_material = false, .material_reason = "Corrects our postal address", .grace_in_days = {}}};
    }
};

struct PresignResponse {
    std::string presign_url;
    std::string key;
    std::string mime;
    std::string extension;
    std::int64_t expired_in = 0;

    static PresignResponse of(PresignedFile file) {
        return {.presign_url = std::move(file.url),
                .key = std::move(file.key),
                .mime = std::string(policy_mime),
                .extension = std::string(policy_extension),
                .expired_in = file.expires_in.count()};
    }

    static constexpr std::string_view schema_name = "AwsS3PresignResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("presignUrl", &PresignResponse::presign_url,
                  "URL to PUT or GET the file; it grants access to anyone who has it"),
            field("key", &PresignResponse::key, "Storage key"),
            field("mime", &PresignResponse::mime, "Media type for the upload"),
            field("extension", &PresignResponse::extension, "File extension without the dot"),
            field("expiredIn", &PresignResponse::expired_in, "Lifetime of the URL in seconds"),
        };
    }
};

struct PolicyImpactResponse {
    std::int64_t affected_users = 0;
    std::int64_t active_users = 0;

    static constexpr std::string_view schema_name = "TermPolicyImpactResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("affectedUsers", &PolicyImpactResponse::affected_users,
                  "Active users who are admitted now and would have to accept, now or after the grace period: those "
                  "with a valid acceptance, or all if it is the first version of its type"),
            field("activeUsers", &PolicyImpactResponse::active_users, "All active users"),
        };
    }
};

struct TermPolicyPath {
    TermPolicyId policy_id;

    static constexpr std::string_view schema_name = "TermPolicyPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("termPolicyId", &TermPolicyPath::policy_id, "Policy ID")};
    }
};

struct TermPolicyContentPath {
    TermPolicyId policy_id;
    Language language = Language::en;

    static constexpr std::string_view schema_name = "TermPolicyContentPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("termPolicyId", &TermPolicyContentPath::policy_id, "Policy ID"),
            field("language", &TermPolicyContentPath::language, "Language of the text"),
        };
    }
};

struct PublicationPath {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &PublicationPath::type, "Policy type"),
            field("version", &PublicationPath::version, "Published version", http::at_least(1), greatest_version),
        };
    }
};

struct DiffPath {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t from = 0;
    std::int64_t to = 0;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &DiffPath::type, "Policy type"),
            field("from", &DiffPath::from, "Earlier published version", http::at_least(1), greatest_version),
            field("to", &DiffPath::to, "Later published version", http::at_least(1), greatest_version),
        };
    }
};

struct DiffQuery {
    std::optional<Language> language;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("language", &DiffQuery::language, "Language of both texts; default: the language of the request")};
    }
};

struct TermPolicyListing {
    std::optional<std::vector<PolicyType>> type;
    std::optional<std::vector<PolicyStatus>> status;

    static constexpr auto paging = http::Paging::cursor;
    static constexpr auto filters() {
        return std::tuple{
            http::filter("type", &TermPolicyListing::type, "type", "Policy types to include"),
            http::filter("status", &TermPolicyListing::status, "status",
                         "Policy statuses to include; only administrators see drafts"),
        };
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"},
                                         http::Sortable{"publishedAt", "COALESCE(published_at, 0)"},
                                         http::Sortable{"version", "version"}};
    static constexpr std::size_t order_terms = 2;
};

}  // namespace consentry
