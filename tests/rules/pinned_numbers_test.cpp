// Clients rely on these names and numbers. If a test fails here, the program has changed incompatibly: correct the
// program, not the table. Add new kinds, but never edit a published row.
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/strict_json.hpp"
#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

struct Pinned {
    std::string_view constant;  // identifier in base/errors.hpp
    const ErrorKind& kind;
    std::string_view name;
    unsigned http_status;
    int service_code;
};

// clang-format off
const Pinned pinned[] = {
    // HTTP layer: the service code equals the HTTP status.
    {"bad_request",            errors::bad_request,            "badRequest",                  400, 400},
    {"route_not_found",        errors::route_not_found,        "notFound",                    404, 404},
    {"method_not_allowed",     errors::method_not_allowed,     "methodNotAllowed",            405, 405},
    {"not_acceptable",         errors::not_acceptable,         "notAcceptable",               406, 406},
    {"payload_too_large",      errors::payload_too_large,      "payloadTooLarge",             413, 413},
    {"uri_too_long",           errors::uri_too_long,           "uriTooLong",                  414, 414},
    {"unsupported_media_type", errors::unsupported_media_type, "unsupportedMediaType",        415, 415},
    {"expectation_failed",     errors::expectation_failed,     "expectationFailed",           417, 417},
    {"too_many_requests",      errors::too_many_requests,      "tooManyRequests",             429, 429},
    {"headers_too_large",      errors::headers_too_large,      "requestHeaderFieldsTooLarge", 431, 431},
    {"not_implemented",        errors::not_implemented,        "notImplemented",              501, 501},
    {"service_unavailable",    errors::service_unavailable,    "serviceUnavailable",          503, 503},
    {"version_not_supported",  errors::version_not_supported,  "httpVersionNotSupported",     505, 505},

    {"unknown", errors::unknown, "unknown", 500, 5000},

    {"order_by_not_allowed",          errors::order_by_not_allowed,          "orderByNotAllowed",           422, 5020},
    {"filter_invalid_value",          errors::filter_invalid_value,          "filterInvalidValue",          422, 5021},
    {"invalid_per_page",              errors::invalid_per_page,              "invalidPerPage",              422, 5022},
    {"pagination_conditions_changed", errors::pagination_conditions_changed, "paginationConditionsChanged", 422, 5023},
    {"cursor_too_long",               errors::cursor_too_long,               "cursorTooLong",               422, 5024},
    {"invalid_cursor_format",         errors::invalid_cursor_format,         "invalidCursorFormat",         422, 5025},
    {"per_page_exceeds_maximum",      errors::per_page_exceeds_maximum,      "perPageExceedsMaximum",       422, 5030},
    {"per_page_less_than_one",        errors::per_page_less_than_one,        "perPageCannotBeLessThanOne",  422, 5031},
    {"order_direction_not_allowed",   errors::order_direction_not_allowed,   "orderDirectionNotAllowed",    422, 5035},
    {"invalid_cursor_params", errors::invalid_cursor_params, "invalidCursorPaginationParams", 422, 5023},
    {"invalid_offset_params", errors::invalid_offset_params, "invalidOffsetPaginationParams", 422, 5026},
    {"invalid_page", errors::invalid_page, "invalidPage", 422, 5027},
    {"page_exceeds_maximum", errors::page_exceeds_maximum, "pageExceedsMaximum", 422, 5028},
    {"page_less_than_one", errors::page_less_than_one, "pageCannotBeLessThanOne", 422, 5029},
    {"invalid_cursor_data", errors::invalid_cursor_data, "invalidCursorData", 422, 5032},
    {"failed_to_encode_cursor", errors::failed_to_encode_cursor, "failedToEncodeCursor", 422, 5033},
    {"failed_to_decode_cursor", errors::failed_to_decode_cursor, "failedToDecodeCursor", 422, 5034},

    {"validation",         errors::validation,         "validation",    422, 5030},
    {"invalid_identifier", errors::invalid_identifier, "validation",    400, 5030},
    {"timeout",            errors::timeout,            "timeout",       408, 5031},
    {"param_required",     errors::param_required,     "paramRequired", 400, 5032},
    {"cross_site_form",     errors::cross_site_form,     "crossSiteForm",     403, 7000},
    {"form_expired",        errors::form_expired,        "formExpired",       403, 7001},
    {"form_without_cookie", errors::form_without_cookie, "formWithoutCookie", 403, 7002},
    {"hand_over_invalid",   errors::hand_over_invalid,   "handOverInvalid",   403, 7020},
    {"env_forbidden",      errors::env_forbidden,      "envForbidden",  403, 5034},

    {"session_not_found", errors::session_not_found, "notFound",  404, 5040},
    {"role_forbidden",    errors::role_forbidden,    "forbidden", 403, 5063},
    {"role_not_found", errors::role_not_found, "notFound", 404, 5060},
    {"role_exist", errors::role_exist, "exist", 409, 5061},
    {"role_used", errors::role_used, "used", 409, 5064},
    {"last_super_admin", errors::last_super_admin, "lastSuperAdmin", 409, 5065},

    {"feature_flag_not_found", errors::feature_flag_not_found, "notFound", 404, 5080},
    {"feature_flag_unavailable", errors::feature_flag_unavailable, "serviceUnavailable", 503, 5081},
    {"feature_flag_invalid_metadata", errors::feature_flag_invalid_metadata, "invalidMetadata", 400, 5082},

    {"api_key_required", errors::api_key_required, "xApiKeyRequired", 401, 5100},
    {"api_key_unknown", errors::api_key_unknown, "xApiKeyNotFound", 403, 5101},
    {"api_key_invalid", errors::api_key_invalid, "xApiKeyInvalid", 401, 5102},
    {"api_key_forbidden", errors::api_key_forbidden, "xApiKeyForbidden", 403, 5103},
    {"api_key_expired", errors::api_key_expired, "expired", 400, 5105},
    {"api_key_not_found", errors::api_key_not_found, "notFound", 404, 5107},
    {"api_key_inactive", errors::api_key_inactive, "inactive", 400, 5108},

    {"jwt_access_token_invalid",      errors::jwt_access_token_invalid,      "jwtAccessTokenInvalid",      401, 5120},
    {"jwt_refresh_token_invalid",     errors::jwt_refresh_token_invalid,     "jwtRefreshTokenInvalid",     401, 5121},
    {"two_factor_invalid",            errors::two_factor_invalid,            "twoFactorInvalid",           401, 5126},
    {"two_factor_challenge_invalid",  errors::two_factor_challenge_invalid,  "twoFactorChallengeInvalid",  401, 5127},
    {"two_factor_not_enabled",        errors::two_factor_not_enabled,        "twoFactorNotEnabled",        400, 5128},
    {"two_factor_already_enabled",    errors::two_factor_already_enabled,    "twoFactorAlreadyEnabled",    400, 5129},
    {"two_factor_required_setup",     errors::two_factor_required_setup,     "twoFactorRequiredSetup",     400, 5132},
    {"two_factor_not_required_setup", errors::two_factor_not_required_setup, "twoFactorNotRequiredSetup",  400, 5133},
    {"two_factor_attempt_temporary_lock", errors::two_factor_attempt_temporary_lock,
     "twoFactorAttemptTemporaryLock", 429, 5134},
    {"two_factor_method_required",    errors::two_factor_method_required,    "twoFactorMethodRequired",    400, 5135},
    {"fresh_login_required",          errors::fresh_login_required,          "freshLoginRequired",         403, 5137},
    {"two_factor_setup_expired",      errors::two_factor_setup_expired,      "twoFactorSetupExpired",      403, 5138},

    {"user_not_found",           errors::user_not_found,           "notFound",           404, 5150},
    {"user_not_self",            errors::user_not_self,            "notSelf",            400, 5151},
    {"email_exist",              errors::email_exist,              "emailExist",         409, 5152},
    {"blocked_invalid",          errors::blocked_invalid,          "blockedInvalid",     400, 5156},
    {"inactive_forbidden",       errors::inactive_forbidden,       "inactiveForbidden",  403, 5157},
    {"blocked_forbidden",        errors::blocked_forbidden,        "blockedForbidden",   403, 5159},
    {"password_not_match",       errors::password_not_match,       "passwordNotMatch",   400, 5160},
    {"password_must_new",        errors::password_must_new,        "passwordMustNew",    400, 5161},
    {"password_expired",         errors::password_expired,         "passwordExpired",    403, 5162},
    {"password_attempt_max",     errors::password_attempt_max,     "passwordAttemptMax", 403, 5163},
    {"email_not_verified",       errors::email_not_verified,       "emailNotVerified",   403, 5167},
    {"user_not_found_forbidden", errors::user_not_found_forbidden, "notFoundForbidden",  403, 5175},

    {"policy_forbidden", errors::policy_forbidden, "forbidden", 403, 5180},

    {"social_google_required", errors::social_google_required, "socialGoogleRequired", 401, 5122},
    {"social_google_invalid",  errors::social_google_invalid,  "socialGoogleInvalid",  401, 5123},
    {"social_apple_required",  errors::social_apple_required,  "socialAppleRequired",  401, 5124},
    {"social_apple_invalid",   errors::social_apple_invalid,   "socialAppleInvalid",   401, 5125},

    {"password_not_set",   errors::password_not_set,   "passwordNotSet",   400, 5168},
    {"token_invalid",      errors::token_invalid,      "tokenInvalid",     400, 5169},
    {"import_email_exist", errors::import_email_exist, "importEmailExist", 409, 5176},
    {"sign_up_forbidden",  errors::sign_up_forbidden,  "signUpForbidden",  403, 5177},

    {"file_required",          errors::file_required,          "required",             422, 5010},
    {"file_extension_invalid", errors::file_extension_invalid, "extensionInvalid",     415, 5011},
    {"file_unreadable",        errors::file_unreadable,        "requiredExtractFirst", 422, 5012},
    {"file_too_many_rows",     errors::file_too_many_rows,     "exceedMaxDataImport",  422, 5013},
    {"file_validation",        errors::file_validation,        "validation",           422, 5030},

    {"file_address_invalid",   errors::file_address_invalid,   "addressInvalid",       403, 5014},

    {"term_policy_not_found",             errors::term_policy_not_found,             "notFound",             404, 6100},
    {"term_policy_exist",                 errors::term_policy_exist,                 "exist",                409, 6101},
    {"term_policy_already_accepted",      errors::term_policy_already_accepted,      "alreadyAccepted",      409, 6103},
    {"term_policy_required",              errors::term_policy_required,              "requiredInvalid",      403, 6104},
    {"term_policy_status_invalid",        errors::term_policy_status_invalid,        "statusInvalid",        400, 6105},
    {"term_policy_content_not_found",     errors::term_policy_content_not_found,     "contentNotFound",      404, 6106},
    {"term_policy_content_exist",         errors::term_policy_content_exist,         "contentExist",         409, 6107},
    {"term_policy_content_empty",         errors::term_policy_content_empty,         "contentEmpty",         400, 6108},
    {"term_policy_outdated",              errors::term_policy_outdated,              "termPolicyOutdated",   409, 6109},
    {"term_policy_content_invalid",       errors::term_policy_content_invalid,       "contentInvalid",       400, 6110},
    {"term_policy_withdraw_not_allowed",  errors::term_policy_withdraw_not_allowed,  "withdrawNotAllowed",   400, 6111},
    {"term_policy_busy",                  errors::term_policy_busy,                  "busy",                 409, 6112},
    {"term_policy_not_accepted",          errors::term_policy_not_accepted,          "notAccepted",          409, 6113},
    {"term_policy_placeholders_unfilled", errors::term_policy_placeholders_unfilled, "placeholdersUnfilled", 422, 6114},
    {"term_policy_receipt_not_found", errors::term_policy_receipt_not_found, "receiptNotFound", 404, 6115},
    {"term_policy_log_pending", errors::term_policy_log_pending, "logPending", 409, 6116},
    {"term_policy_log_differs", errors::term_policy_log_differs, "logDiffers", 409, 6120},
    {"term_policy_material_required", errors::term_policy_material_required, "materialRequired", 422, 6117},
    {"term_policy_diff_outdated", errors::term_policy_diff_outdated, "diffOutdated", 409, 6118},
    {"term_policy_acceptance_not_found", errors::term_policy_acceptance_not_found, "acceptanceNotFound", 404, 6119},
    {"term_policy_grace_not_allowed", errors::term_policy_grace_not_allowed, "graceNotAllowed", 422, 6121},
};
// clang-format on

TEST(PinnedNumbers, EveryKindKeepsItsNameStatusAndCode) {
    for (const auto& [constant, kind, name, http_status, service_code] : pinned) {
        EXPECT_EQ(kind.name, name) << constant;
        EXPECT_EQ(kind.http_status, http_status) << constant;
        EXPECT_EQ(kind.service_code, service_code) << constant;
    }
}

TEST(PinnedNumbers, EveryKindIsPinned) {
    const std::string_view declaration = "inline constexpr ErrorKind ";
    const std::string table = read_file("src/base/errors.hpp");
    std::set<std::string> declared;
    for (auto at = table.find(declaration); at != std::string::npos; at = table.find(declaration, at + 1)) {
        const auto from = at + declaration.size();
        declared.insert(table.substr(from, table.find_first_of("{ ", from) - from));
    }
    std::set<std::string> known;
    for (const Pinned& row : pinned) EXPECT_TRUE(known.emplace(row.constant).second) << row.constant << " stands twice";
    for (const std::string& constant : declared)
        EXPECT_TRUE(known.contains(constant)) << constant << " is new: pin it in tests/rules/pinned_numbers_test.cpp";
    EXPECT_EQ(declared.size(), known.size());
}

TEST(PinnedNumbers, KindsAreDeclaredInOneTable) {
    for (const std::string& path : files_below("src")) {
        if (path == "src/base/errors.hpp" || !is_source(path) || is_unit_test(path)) continue;
        EXPECT_EQ(read_file(path).find("constexpr ErrorKind "), std::string::npos)
            << path << " declares an error kind; they stand in src/base/errors.hpp";
    }
}

TEST(PinnedNumbers, NoTwoKindsLookTheSameToAClient) {
    // Service codes repeat on purpose, but name, status and code together must be unique. The exception is
    // file_validation, which equals the ordinary validation error and reports its errors by row.
    std::set<std::tuple<std::string_view, unsigned, int>> seen;
    for (const Pinned& row : pinned)
        if (&row.kind != &errors::file_validation)
            EXPECT_TRUE(seen.emplace(row.kind.name, row.kind.http_status, row.kind.service_code).second)
                << row.constant;
}

TEST(PinnedNumbers, ThePageOfErrorsHasEveryKind) {
    const std::string text = read_file("docs/reference/errors.md");
    const std::string page = text.substr(text.find("## All errors"));
    const auto messages = parse_strict_json(read_file("locales/en.json"), {.members_max = 10'000});
    ASSERT_TRUE(messages && messages->is_object());
    for (const Pinned& row : pinned) {
        const auto* message = messages->get_object().if_contains(row.kind.message_key);
        ASSERT_TRUE(message != nullptr && message->is_string()) << row.constant;
        const std::string line =
            fmt::format("\n| `{}.{}` | {} | {} | {} |\n", row.kind.module, row.kind.name, row.kind.service_code,
                        row.kind.http_status, std::string_view(message->get_string()));
        EXPECT_TRUE(page.contains(line)) << "docs/reference/errors.md needs the line" << line;
    }
    std::size_t rows = 0;
    for (auto at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1)) ++rows;
    EXPECT_EQ(rows, std::size(pinned)) << "docs/reference/errors.md has errors that there are not";
}

}  // namespace
}  // namespace consentry::rules
