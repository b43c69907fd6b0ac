// Request and response types of sign-up, verification, recovery and profile changes.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "features/acceptances/dto.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/passwords/field_rules.hpp"
#include "features/sessions/repository.hpp"
#include "features/two_factor/dto.hpp"
#include "features/users/dto.hpp"
#include "tlog/lines.hpp"

namespace consentry {

struct SignUpRequest {
    std::string email;
    std::string password;
    std::optional<std::string> name;
    LoginFrom from = LoginFrom::website;
    std::optional<bool> terms_of_service;
    std::optional<bool> privacy;
    std::optional<bool> marketing;
    std::optional<bool> cookies;

    static constexpr std::string_view schema_name = "UserSignUpRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &SignUpRequest::email, "Email address; stored in lower case, receives the verification link",
                  http::not_empty, http::email),
            field("password", &SignUpRequest::password, new_password_description, password_length_min,
                  password_length_max, password_classes),
            field("name", &SignUpRequest::name, "Display name", http::min_length(1), http::one_line_name,
                  http::max_length(100)),
            field("from", &SignUpRequest::from, "Client type"),
            field("termsOfService", &SignUpRequest::terms_of_service, "`true` accepts the latest terms of service"),
            field("privacy", &SignUpRequest::privacy, "`true` accepts the latest privacy policy"),
            field("marketing", &SignUpRequest::marketing, "`true` accepts the latest marketing consent"),
            field("cookies", &SignUpRequest::cookies, "`true` accepts the latest cookie policy"),
        };
    }
    static std::vector<SignUpRequest> examples() {
        return {{.email = "ada@example.org",
                 .password = "Velvet-Harbor-42",
                 .name = "Ada",
                 .from = LoginFrom::website,
                 .terms_of_service = true,
                 .privacy = true,
                 .marketing = {},
                 .cookies = {}}};
    }
};

// Of the token of an emailed link.
inline constexpr http::MaxLength link_token_length = http::max_length(512);

struct VerifyEmailRequest {
    std::string token;

    static constexpr std::string_view schema_name = "UserVerifyEmailRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("token", &VerifyEmailRequest::token, "Last path segment of the emailed link",
                                http::not_empty, link_token_length)};
    }
};

struct SendLinkRequest {
    std::string email;

    static constexpr std::string_view schema_name = "UserSendLinkRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &SendLinkRequest::email, "Email address of the account", http::not_empty, http::email)};
    }
};

struct ResetPasswordRequest {
    std::string new_password;
    std::string token;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserResetPasswordRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("newPassword", &ResetPasswordRequest::new_password, new_password_description, password_length_min,
                      password_length_max, password_classes),
                field("token", &ResetPasswordRequest::token, "Last path segment of the emailed link", http::not_empty,
                      link_token_length),
            },
            proof_fields<ResetPasswordRequest>(code_if_on_description));
    }
    static void check(const ResetPasswordRequest& dto, Report& report) { check_proof(dto, report, false); }
    static std::vector<ResetPasswordRequest> examples() {
        return {{.new_password = "Copper-Meadow-77",
                 .token = "Jm2kXq0vTn7cWb4sLd9yRh",
                 .code = "492039",
                 .backup_code = {},
                 .method = {}}};
    }
};

struct UpdateProfileRequest {
    std::optional<std::string> name;
    std::optional<Language> language;
    std::optional<Gender> gender;

    static constexpr std::string_view schema_name = "UserUpdateProfileRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("name", &UpdateProfileRequest::name, "Display name; unchanged if omitted", http::min_length(1),
                  http::one_line_name, http::max_length(100)),
            field("language", &UpdateProfileRequest::language, "Language of emails; unchanged if omitted"),
            field("gender", &UpdateProfileRequest::gender, "Gender; unchanged if omitted"),
        };
    }
};

// The parts of the export, which is one document written in pieces. They are not schemas of the API document.

struct ExportedSession {
    SessionId id;
    LoginFrom login_from = LoginFrom::website;
    LoginWith login_with = LoginWith::credential;
    std::string ip_address;
    std::string user_agent;
    std::optional<std::string> device_fingerprint;
    std::optional<std::string> device_name;
    std::optional<std::string> device_platform;
    TimePoint created_at;
    TimePoint last_active_at;
    TimePoint expired_at;
    std::optional<TimePoint> revoked_at;
    std::optional<std::string> revoked_reason;

    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedSession;
        return std::tuple{
            field("id", &Dto::id, "Session ID"),
            field("loginFrom", &Dto::login_from, "Client type of the login"),
            field("loginWith", &Dto::login_with, "Login method"),
            field("ipAddress", &Dto::ip_address, "IP address of the login"),
            field("userAgent", &Dto::user_agent, "User agent of the login"),
            field("deviceFingerprint", &Dto::device_fingerprint, "Device identifier chosen by the client"),
            field("deviceName", &Dto::device_name, "Device name sent by the client"),
            field("devicePlatform", &Dto::device_platform, "Device platform sent by the client"),
            field("createdAt", &Dto::created_at, "Creation time"),
            field("lastActiveAt", &Dto::last_active_at, "Time of the last recorded use"),
            field("expiredAt", &Dto::expired_at, "Time at which the session ends at the latest"),
            field("revokedAt", &Dto::revoked_at, "Revocation time"),
            field("revokedReason", &Dto::revoked_reason, "Revocation reason")};
    }
};

struct ExportedIdentity {
    std::string provider;
    std::string subject;
    std::optional<std::string> email;
    TimePoint created_at;
    std::optional<TimePoint> last_used_at;
    std::optional<TimePoint> unlinked_at;

    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedIdentity;
        return std::tuple{field("provider", &Dto::provider, "Identity provider"),
                          field("subject", &Dto::subject, "Account ID at the provider"),
                          field("email", &Dto::email, "Email address according to the provider"),
                          field("createdAt", &Dto::created_at, "Creation time"),
                          field("lastUsedAt", &Dto::last_used_at, "Time of the last login with this identity"),
                          field("unlinkedAt", &Dto::unlinked_at, "Time at which the operator unlinked it")};
    }
};

struct ExportedPassword {
    std::string type;
    TimePoint created_at;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("type", &ExportedPassword::type, "How the password was set"),
                          field("createdAt", &ExportedPassword::created_at, "Creation time")};
    }
};

struct ExportedAcceptance {
    AcceptanceId id;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    ConsentAction action = ConsentAction::accepted;
    Language language = Language::en;
    std::vector<ContentHashResponse> content_hashes;
    TimePoint accepted_at;
    std::optional<std::string> ip_address;
    std::optional<std::string> user_agent;
    std::optional<SessionId> session_id;
    std::optional<std::string> shown_diff_hash;

    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedAcceptance;
        return std::tuple{
            field("id", &Dto::id, "Entry ID"),
            field("type", &Dto::type, "Policy type"),
            field("version", &Dto::version, "Policy version"),
            field("action", &Dto::action, "Accepted or withdrawn"),
            field("language", &Dto::language, "Language of the text shown"),
            field("contentHashes", &Dto::content_hashes, "Hashes of the version's texts at that time"),
            field("acceptedAt", &Dto::accepted_at, "Time of the acceptance or withdrawal"),
            field("ipAddress", &Dto::ip_address, "IP address of the client"),
            field("userAgent", &Dto::user_agent, "User agent of the client"),
            field("sessionId", &Dto::session_id, "Session ID; absent for acceptances at sign-up"),
            field("shownDiffHash", &Dto::shown_diff_hash,
                  "SHA-256 of the comparison of versions that was shown, if any"),
        };
    }
};

struct ExportedRecord {
    AcceptanceId acceptance_id;
    std::string receipt;
    std::optional<std::string> addendum;
    std::optional<std::string> proof;

    static ExportedRecord of(OwnRecord record) {
        return {record.acceptance, std::move(record.receipt), std::move(record.addendum), std::move(record.proof)};
    }
    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedRecord;
        return std::tuple{
            field("acceptanceId", &Dto::acceptance_id, "ID of the acceptance or withdrawal"),
            field("receipt", &Dto::receipt, "Signed receipt: a JWT of type `consent-receipt+jwt`"),
            field("addendum", &Dto::addendum,
                  "The text whose SHA-256 the receipt names as `addendumHash`: account, session, IP address and client "
                  "program"),
            field("proof", &Dto::proof, "Proof that the entry is in the log (`.tlog-proof`); absent until it is"),
        };
    }
};

struct ExportedStamp {
    std::string text;
    std::string answer;
    std::string consistency;

    static ExportedStamp of(const StampedCheckpoint& stamp) {
        return {stamp.text, to_base64(as_bytes(stamp.answer)), tlog::hash_lines(stamp.consistency)};
    }
    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedStamp;
        return std::tuple{
            field("text", &Dto::text, "What the authority stamped: a checkpoint without signatures"),
            field("answer", &Dto::answer, "The authority's answer (RFC 3161), in base64"),
            field("consistency", &Dto::consistency, "Hashes that prove that `checkpoint` continues it, one per line"),
        };
    }
};

struct DeleteSelfRequest {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserDeleteSelfRequestDto";
    static constexpr auto fields() { return proof_fields<DeleteSelfRequest>(code_if_on_description); }
    static void check(const DeleteSelfRequest& dto, Report& report) { check_proof(dto, report, false); }
    static std::vector<DeleteSelfRequest> examples() { return {{.code = "492039", .backup_code = {}, .method = {}}}; }
};

}  // namespace consentry
