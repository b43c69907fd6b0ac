// Wire formats of term policy responses. Requests are in request_dto.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "features/term_policies/policy.hpp"
#include "http/schema/fields.hpp"
#include "storage/object_store.hpp"

namespace consentry {

enum class FileAccess { private_file, public_file };

struct PolicyContentResponse {
    Language language = Language::en;
    std::string bucket;
    std::string key;
    http::Nullable<std::string> cdn_url;
    http::Nullable<std::string> completed_url;
    std::string mime;
    std::string extension;
    FileAccess access = FileAccess::private_file;
    std::int64_t size = 0;
    std::string content_hash;

    static constexpr std::string_view schema_name = "TermPolicyContentResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("language", &PolicyContentResponse::language, "Language of the text"),
            field("bucket", &PolicyContentResponse::bucket, "Storage bucket"),
            field("key", &PolicyContentResponse::key, "Storage key"),
            field("cdnUrl", &PolicyContentResponse::cdn_url,
                  "Public URL; `null` for drafts, which only presigned URLs open"),
            field("completedUrl", &PolicyContentResponse::completed_url, "Same as `cdnUrl`"),
            field("mime", &PolicyContentResponse::mime, "Media type"),
            field("extension", &PolicyContentResponse::extension, "File extension without the dot"),
            field("access", &PolicyContentResponse::access, "`private` for drafts, `public` once published"),
            field("size", &PolicyContentResponse::size, "Size in bytes"),
            field("contentHash", &PolicyContentResponse::content_hash, "SHA-256 of the text, in hexadecimal"),
        };
    }
};

struct TermPolicyResponse {
    TermPolicyId id;
    PolicyType type = PolicyType::terms_of_service;
    PolicyStatus status = PolicyStatus::draft;
    std::int64_t version = 0;
    std::vector<PolicyContentResponse> contents;
    std::optional<TimePoint> published_at;
    std::optional<bool> is_material;
    std::optional<std::string> material_reason;
    std::optional<TimePoint> grace_until;
    std::optional<boost::json::object> processing;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    // Anonymous callers see a policy without its authors.
    static TermPolicyResponse of(const TermPolicy& policy, const PolicyPaths& paths, const storage::ObjectStore& store,
                                 bool for_admins) {
        TermPolicyResponse out{.id = policy.id,
                               .type = policy.type,
                               .status = policy.status,
                               .version = policy.version,
                               .contents = {},
                               .published_at = policy.published_at,
                               .is_material = {},
                               .material_reason = policy.material_reason,
                               .grace_until = policy.grace_until,
                               .processing = {},
                               .created_at = policy.created_at,
                               .created_by = for_admins ? policy.created_by : std::nullopt,
                               .updated_at = policy.updated_at,
                               .updated_by = for_admins ? policy.updated_by : std::nullopt};
        const bool is_public = policy.status == PolicyStatus::published;
        if (is_public) out.is_material = policy.is_material;
        if (policy.processing) out.processing = boost::json::parse(*policy.processing).as_object();
        const auto area = is_public ? storage::Area::public_area : storage::Area::private_area;
        for (const PolicyContent& content : policy.contents) {
            auto key = is_public ? paths.publication(policy.type, policy.version, content.language)
                                 : paths.draft(policy.type, policy.version, content.language);
            const auto url = is_public ? std::optional(store.public_address(key)) : std::nullopt;
            out.contents.push_back({.language = content.language,
                                    .bucket = store.area_name(area),
                                    .key = std::move(key),
                                    .cdn_url = {url},
                                    .completed_url = {url},
                                    .mime = std::string(policy_mime),
                                    .extension = std::string(policy_extension),
                                    .access = is_public ? FileAccess::public_file : FileAccess::private_file,
                                    .size = content.size,
                                    .content_hash = content.digest});
        }
        return out;
    }

    static constexpr std::string_view schema_name = "TermPolicyResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &TermPolicyResponse::id, "Policy ID; each version has its own"),
            field("type", &TermPolicyResponse::type, "Policy type"),
            field("status", &TermPolicyResponse::status,
                  "Policy status; published policies are public and never change"),
            field("version", &TermPolicyResponse::version, "Version; the highest published one is the latest"),
            field("contents", &TermPolicyResponse::contents, "Texts, one per language"),
            field("publishedAt", &TermPolicyResponse::published_at, "Publication time"),
            field("isMaterial", &TermPolicyResponse::is_material,
                  "Whether users had to accept this version; if not, acceptances of earlier versions remain valid. "
                  "Absent for drafts"),
            field("materialReason", &TermPolicyResponse::material_reason, "Why the change was material or not"),
            field("graceUntil", &TermPolicyResponse::grace_until,
                  "Until then, endpoints that require acceptance also admit users with an earlier one"),
            field("processing", &TermPolicyResponse::processing,
                  "The version's description of the processing of personal data (`TermPolicyProcessingDto`)"),
            field("createdAt", &TermPolicyResponse::created_at, "Creation time"),
            field("createdBy", &TermPolicyResponse::created_by, "Account ID of the creator; only for administrators"),
            field("updatedAt", &TermPolicyResponse::updated_at, "Time of the last change"),
            field("updatedBy", &TermPolicyResponse::updated_by,
                  "Account ID of the user who made the last change; only for administrators"),
        };
    }
};

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::FileAccess> {
    static constexpr std::array names{std::pair{consentry::FileAccess::private_file, std::string_view{"private"}},
                                      std::pair{consentry::FileAccess::public_file, std::string_view{"public"}}};
};
