// Shapes of signing up, proving an address, recovering and changing an account, on the wire.
#pragma once

#include <optional>
#include <string>

#include "features/acceptances/dto.hpp"
#include "features/passwords/form.hpp"
#include "features/sessions/repository.hpp"
#include "features/two_factor/dto.hpp"
#include "features/users/dto.hpp"

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
            field("email", &SignUpRequest::email, "Kept in small letters; a link is mailed to it", http::not_empty,
                  http::email),
            field("password", &SignUpRequest::password, new_password_description, password_length_min,
                  password_length_max, password_classes),
            field("name", &SignUpRequest::name, "As people call them", http::not_empty, http::one_line_name,
                  http::max_length(100)),
            field("from", &SignUpRequest::from, "Where the account is made"),
            field("termsOfService", &SignUpRequest::terms_of_service, "Accepts the latest terms of service"),
            field("privacy", &SignUpRequest::privacy, "Accepts the latest privacy policy"),
            field("marketing", &SignUpRequest::marketing, "Accepts the latest marketing policy"),
            field("cookies", &SignUpRequest::cookies, "Accepts the latest cookie policy"),
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

struct VerifyEmailRequest {
    std::string token;

    static constexpr std::string_view schema_name = "UserVerifyEmailRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("token", &VerifyEmailRequest::token, "The last part of the mailed link",
                                http::not_empty, http::max_length(512))};
    }
};

struct SendLinkRequest {
    std::string email;

    static constexpr std::string_view schema_name = "UserSendLinkRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("email", &SendLinkRequest::email, "Of the account", http::not_empty, http::email)};
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
        return std::tuple{
            field("newPassword", &ResetPasswordRequest::new_password, new_password_description, password_length_min,
                  password_length_max, password_classes),
            field("token", &ResetPasswordRequest::token, "The last part of the mailed link", http::not_empty,
                  http::max_length(512)),
            field("code", &ResetPasswordRequest::code, "With two-factor on: a code of the authenticator app",
                  http::two_factor_code),
            field("backupCode", &ResetPasswordRequest::backup_code, "Or a backup code", http::backup_code),
            field("method", &ResetPasswordRequest::method, "Which of the two is sent"),
        };
    }
    static void check(const ResetPasswordRequest& dto, http::Report& report) { check_proof(dto, report, false); }
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
            field("name", &UpdateProfileRequest::name, "As people call them; absent: as it is", http::not_empty,
                  http::one_line_name, http::max_length(100)),
            field("language", &UpdateProfileRequest::language, "Of mails; absent: as it is"),
            field("gender", &UpdateProfileRequest::gender, "As the owner wants to be addressed; absent: as it is"),
        };
    }
};

// The export is one document that is written in pieces: these are its parts, and no schema of the API document.

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
        return std::tuple{field("id", &Dto::id, "Of the session"),
                          field("loginFrom", &Dto::login_from, "Where the login came from"),
                          field("loginWith", &Dto::login_with, "How it was proven"),
                          field("ipAddress", &Dto::ip_address, "Address of the login"),
                          field("userAgent", &Dto::user_agent, "Client of the login"),
                          field("deviceFingerprint", &Dto::device_fingerprint, "The client's own name for the device"),
                          field("deviceName", &Dto::device_name, "As told by the client"),
                          field("devicePlatform", &Dto::device_platform, "As told by the client"),
                          field("createdAt", &Dto::created_at, "When it was made"),
                          field("lastActiveAt", &Dto::last_active_at, "When it was last seen in use"),
                          field("expiredAt", &Dto::expired_at, "When it ends at the latest"),
                          field("revokedAt", &Dto::revoked_at, "When it was ended"),
                          field("revokedReason", &Dto::revoked_reason, "What ended it")};
    }
};

struct ExportedIdentity {
    std::string provider;
    std::string subject;
    std::optional<std::string> email;
    TimePoint created_at;
    std::optional<TimePoint> last_used_at;

    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedIdentity;
        return std::tuple{field("provider", &Dto::provider, "Who knows the owner by it"),
                          field("subject", &Dto::subject, "What the provider calls the owner"),
                          field("email", &Dto::email, "As the provider told it"),
                          field("createdAt", &Dto::created_at, "When it was made"),
                          field("lastUsedAt", &Dto::last_used_at, "When a login last came with it")};
    }
};

struct ExportedPassword {
    std::string type;
    TimePoint created_at;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("type", &ExportedPassword::type, "How it was set"),
                          field("createdAt", &ExportedPassword::created_at, "When it was made")};
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

    static constexpr auto fields() {
        using http::field;
        using Dto = ExportedAcceptance;
        return std::tuple{
            field("id", &Dto::id, "Of the entry"),
            field("type", &Dto::type, "What the document was"),
            field("version", &Dto::version, "Which one of it"),
            field("action", &Dto::action, "Accepted, or taken back"),
            field("language", &Dto::language, "Of the text that was shown"),
            field("contentHashes", &Dto::content_hashes, "Of the version, as they were at that time"),
            field("acceptedAt", &Dto::accepted_at, "When it was accepted, or taken back"),
            field("ipAddress", &Dto::ip_address, "From where"),
            field("userAgent", &Dto::user_agent, "With which client"),
            field("sessionId", &Dto::session_id, "In which session; at sign-up none"),
        };
    }
};

struct DeleteSelfRequest {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserDeleteSelfRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("code", &DeleteSelfRequest::code, "With two-factor on: a code of the authenticator app",
                  http::two_factor_code),
            field("backupCode", &DeleteSelfRequest::backup_code, "Or a backup code", http::backup_code),
            field("method", &DeleteSelfRequest::method, "Which of the two is sent"),
        };
    }
    static void check(const DeleteSelfRequest& dto, http::Report& report) { check_proof(dto, report, false); }
    static std::vector<DeleteSelfRequest> examples() { return {{.code = "492039", .backup_code = {}, .method = {}}}; }
};

}  // namespace consentry
