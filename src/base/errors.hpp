// All refusals of the service: name, HTTP status, service code, message key, module. Clients rely on the numbers
// (tests/rules pins them). Some numbers collide on purpose; name and HTTP status tell them apart.
#pragma once

#include "base/error.hpp"

namespace consentry::errors {

// HTTP layer: the service code equals the HTTP status.
inline constexpr ErrorKind bad_request{"badRequest", 400, 400, "http.400", "http"};
inline constexpr ErrorKind route_not_found{"notFound", 404, 404, "http.404", "http"};
inline constexpr ErrorKind method_not_allowed{"methodNotAllowed", 405, 405, "http.405", "http"};
inline constexpr ErrorKind payload_too_large{"payloadTooLarge", 413, 413, "http.413", "http"};
inline constexpr ErrorKind uri_too_long{"uriTooLong", 414, 414, "http.414", "http"};
inline constexpr ErrorKind unsupported_media_type{"unsupportedMediaType", 415, 415, "http.415", "http"};
inline constexpr ErrorKind expectation_failed{"expectationFailed", 417, 417, "http.417", "http"};
inline constexpr ErrorKind too_many_requests{"tooManyRequests", 429, 429, "http.429", "http"};
inline constexpr ErrorKind headers_too_large{"requestHeaderFieldsTooLarge", 431, 431, "http.431", "http"};
inline constexpr ErrorKind service_unavailable{"serviceUnavailable", 503, 503, "http.503", "http"};
inline constexpr ErrorKind version_not_supported{"httpVersionNotSupported", 505, 505, "http.505", "http"};

inline constexpr ErrorKind unknown{"unknown", 500, 5000, "http.serverError.internalServerError", "app"};
inline constexpr ErrorKind timeout{"timeout", 408, 5031, "http.clientError.requestTimeOut", "request"};
inline constexpr ErrorKind validation{"validation", 422, 5030, "request.error.validation", "request"};
inline constexpr ErrorKind invalid_identifier{"validation", 400, 5030, "request.error.identifierInvalid", "request"};
inline constexpr ErrorKind cross_site_form{"crossSiteForm", 403, 7000, "pages.form.crossSite", "pages"};
inline constexpr ErrorKind form_expired{"formExpired", 403, 7001, "pages.form.expired", "pages"};
inline constexpr ErrorKind form_without_cookie{"formWithoutCookie", 403, 7002, "pages.form.withoutCookie", "pages"};
inline constexpr ErrorKind hand_over_invalid{"handOverInvalid", 403, 7020, "pages.handOver.invalid", "pages"};

inline constexpr ErrorKind order_by_not_allowed{"orderByNotAllowed", 422, 5020, "pagination.error.orderByNotAllowed",
                                                "pagination"};
inline constexpr ErrorKind filter_invalid_value{"filterInvalidValue", 422, 5021, "pagination.error.filterInvalidValue",
                                                "pagination"};
inline constexpr ErrorKind invalid_per_page{"invalidPerPage", 422, 5022, "pagination.error.invalidPerPage",
                                            "pagination"};
inline constexpr ErrorKind per_page_exceeds_maximum{"perPageExceedsMaximum", 422, 5030,
                                                    "pagination.error.perPageExceedsMaximum", "pagination"};
inline constexpr ErrorKind per_page_less_than_one{"perPageCannotBeLessThanOne", 422, 5031,
                                                  "pagination.error.perPageCannotBeLessThanOne", "pagination"};
inline constexpr ErrorKind pagination_conditions_changed{"paginationConditionsChanged", 422, 5023,
                                                         "pagination.error.paginationConditionsChanged", "pagination"};
inline constexpr ErrorKind cursor_too_long{"cursorTooLong", 422, 5024, "pagination.error.cursorTooLong", "pagination"};
inline constexpr ErrorKind invalid_cursor_format{"invalidCursorFormat", 422, 5025,
                                                 "pagination.error.invalidCursorFormat", "pagination"};
inline constexpr ErrorKind order_direction_not_allowed{"orderDirectionNotAllowed", 422, 5035,
                                                       "pagination.error.orderDirectionNotAllowed", "pagination"};
inline constexpr ErrorKind invalid_cursor_params{"invalidCursorPaginationParams", 422, 5023,
                                                 "pagination.error.invalidCursorPaginationParams", "pagination"};
inline constexpr ErrorKind invalid_offset_params{"invalidOffsetPaginationParams", 422, 5026,
                                                 "pagination.error.invalidOffsetPaginationParams", "pagination"};
inline constexpr ErrorKind invalid_page{"invalidPage", 422, 5027, "pagination.error.invalidPage", "pagination"};
inline constexpr ErrorKind page_exceeds_maximum{"pageExceedsMaximum", 422, 5028, "pagination.error.pageExceedsMaximum",
                                                "pagination"};
inline constexpr ErrorKind page_less_than_one{"pageCannotBeLessThanOne", 422, 5029,
                                              "pagination.error.pageCannotBeLessThanOne", "pagination"};
inline constexpr ErrorKind failed_to_encode_cursor{"failedToEncodeCursor", 422, 5033,
                                                   "pagination.error.failedToEncodeCursor", "pagination"};

inline constexpr ErrorKind session_not_found{"notFound", 404, 5040, "session.error.notFound", "session"};
inline constexpr ErrorKind role_forbidden{"forbidden", 403, 5063, "role.error.forbidden", "role"};
inline constexpr ErrorKind role_not_found{"notFound", 404, 5060, "role.error.notFound", "role"};
inline constexpr ErrorKind role_exist{"exist", 409, 5061, "role.error.exist", "role"};
inline constexpr ErrorKind role_used{"used", 409, 5064, "role.error.used", "role"};
inline constexpr ErrorKind last_super_admin{"lastSuperAdmin", 409, 5065, "role.error.lastSuperAdmin", "role"};

inline constexpr ErrorKind feature_flag_not_found{"notFound", 404, 5080, "featureFlag.error.notFound", "featureFlag"};
inline constexpr ErrorKind feature_flag_unavailable{"serviceUnavailable", 503, 5081,
                                                    "featureFlag.error.serviceUnavailable", "featureFlag"};
inline constexpr ErrorKind feature_flag_invalid_metadata{"invalidMetadata", 400, 5082,
                                                         "featureFlag.error.invalidMetadata", "featureFlag"};

inline constexpr ErrorKind api_key_required{"xApiKeyRequired", 401, 5100, "apiKey.error.xApiKey.required", "apiKey"};
inline constexpr ErrorKind api_key_unknown{"xApiKeyNotFound", 403, 5101, "apiKey.error.xApiKey.notFound", "apiKey"};
inline constexpr ErrorKind api_key_invalid{"xApiKeyInvalid", 401, 5102, "apiKey.error.xApiKey.invalid", "apiKey"};
inline constexpr ErrorKind api_key_forbidden{"xApiKeyForbidden", 403, 5103, "apiKey.error.xApiKey.forbidden", "apiKey"};
inline constexpr ErrorKind api_key_expired{"expired", 400, 5105, "apiKey.error.expired", "apiKey"};
inline constexpr ErrorKind api_key_not_found{"notFound", 404, 5107, "apiKey.error.notFound", "apiKey"};
inline constexpr ErrorKind api_key_inactive{"inactive", 400, 5108, "apiKey.error.inactive", "apiKey"};

inline constexpr ErrorKind jwt_access_token_invalid{"jwtAccessTokenInvalid", 401, 5120,
                                                    "auth.error.accessTokenUnauthorized", "auth"};
inline constexpr ErrorKind jwt_refresh_token_invalid{"jwtRefreshTokenInvalid", 401, 5121,
                                                     "auth.error.refreshTokenUnauthorized", "auth"};
inline constexpr ErrorKind social_google_required{"socialGoogleRequired", 401, 5122, "auth.error.socialGoogleRequired",
                                                  "auth"};
inline constexpr ErrorKind social_google_invalid{"socialGoogleInvalid", 401, 5123, "auth.error.socialGoogleInvalid",
                                                 "auth"};
inline constexpr ErrorKind social_apple_required{"socialAppleRequired", 401, 5124, "auth.error.socialAppleRequired",
                                                 "auth"};
inline constexpr ErrorKind social_apple_invalid{"socialAppleInvalid", 401, 5125, "auth.error.socialAppleInvalid",
                                                "auth"};
inline constexpr ErrorKind two_factor_invalid{"twoFactorInvalid", 401, 5126, "auth.error.twoFactorInvalid", "auth"};
inline constexpr ErrorKind two_factor_challenge_invalid{"twoFactorChallengeInvalid", 401, 5127,
                                                        "auth.error.twoFactorChallengeInvalid", "auth"};
inline constexpr ErrorKind two_factor_not_enabled{"twoFactorNotEnabled", 400, 5128, "auth.error.twoFactorNotEnabled",
                                                  "auth"};
inline constexpr ErrorKind two_factor_already_enabled{"twoFactorAlreadyEnabled", 400, 5129,
                                                      "auth.error.twoFactorAlreadyEnabled", "auth"};
inline constexpr ErrorKind two_factor_required_setup{"twoFactorRequiredSetup", 400, 5132,
                                                     "auth.error.twoFactorRequiredSetup", "auth"};
inline constexpr ErrorKind two_factor_not_required_setup{"twoFactorNotRequiredSetup", 400, 5133,
                                                         "auth.error.twoFactorNotRequiredSetup", "auth"};
inline constexpr ErrorKind two_factor_attempt_temporary_lock{"twoFactorAttemptTemporaryLock", 429, 5134,
                                                             "auth.error.twoFactorAttemptTemporaryLock", "auth"};
inline constexpr ErrorKind two_factor_method_required{"twoFactorMethodRequired", 400, 5135,
                                                      "auth.error.twoFactorMethodRequired", "auth"};
inline constexpr ErrorKind fresh_login_required{"freshLoginRequired", 403, 5137, "auth.error.freshLoginRequired",
                                                "auth"};
inline constexpr ErrorKind two_factor_setup_expired{"twoFactorSetupExpired", 403, 5138,
                                                    "auth.error.twoFactorSetupExpired", "auth"};

inline constexpr ErrorKind user_not_found{"notFound", 404, 5150, "user.error.notFound", "user"};
inline constexpr ErrorKind user_not_self{"notSelf", 400, 5151, "user.error.notSelf", "user"};
inline constexpr ErrorKind email_exist{"emailExist", 409, 5152, "user.error.emailExist", "user"};
inline constexpr ErrorKind blocked_invalid{"blockedInvalid", 400, 5156, "user.error.blockedInvalid", "user"};
inline constexpr ErrorKind inactive_forbidden{"inactiveForbidden", 403, 5157, "user.error.inactive", "user"};
inline constexpr ErrorKind blocked_forbidden{"blockedForbidden", 403, 5159, "user.error.blocked", "user"};
inline constexpr ErrorKind password_not_match{"passwordNotMatch", 400, 5160, "auth.error.passwordNotMatch", "user"};
inline constexpr ErrorKind password_must_new{"passwordMustNew", 400, 5161, "auth.error.passwordMustNew", "user"};
inline constexpr ErrorKind password_expired{"passwordExpired", 403, 5162, "auth.error.passwordExpired", "user"};
inline constexpr ErrorKind password_attempt_max{"passwordAttemptMax", 403, 5163, "auth.error.passwordAttemptMax",
                                                "user"};
inline constexpr ErrorKind email_not_verified{"emailNotVerified", 403, 5167, "user.error.emailNotVerified", "user"};
inline constexpr ErrorKind password_not_set{"passwordNotSet", 400, 5168, "auth.error.passwordNotSet", "user"};
inline constexpr ErrorKind token_invalid{"tokenInvalid", 400, 5169, "user.error.verificationTokenInvalid", "user"};
inline constexpr ErrorKind import_email_exist{"importEmailExist", 409, 5176, "user.error.importEmailExist", "user"};
inline constexpr ErrorKind sign_up_forbidden{"signUpForbidden", 403, 5177, "user.error.signUpForbidden", "user"};

inline constexpr ErrorKind file_required{"required", 422, 5010, "file.error.required", "file"};
inline constexpr ErrorKind file_extension_invalid{"extensionInvalid", 415, 5011, "file.error.extensionInvalid", "file"};
inline constexpr ErrorKind file_unreadable{"requiredExtractFirst", 422, 5012, "file.error.requiredParseFirst", "file"};
inline constexpr ErrorKind file_too_many_rows{"exceedMaxDataImport", 422, 5013, "file.error.exceedMaxDataImport",
                                              "file"};
inline constexpr ErrorKind file_validation{"validation", 422, 5030, "file.error.validationDto", "file"};

// A presigned URL that has expired or was issued for a different operation.
inline constexpr ErrorKind file_address_invalid{"addressInvalid", 403, 5014, "file.error.addressInvalid", "file"};

inline constexpr ErrorKind term_policy_not_found{"notFound", 404, 6100, "termPolicy.error.notFound", "termPolicy"};
inline constexpr ErrorKind term_policy_exist{"exist", 409, 6101, "termPolicy.error.exist", "termPolicy"};
inline constexpr ErrorKind term_policy_already_accepted{"alreadyAccepted", 409, 6103,
                                                        "termPolicy.error.alreadyAccepted", "termPolicy"};
inline constexpr ErrorKind term_policy_required{"requiredInvalid", 403, 6104, "termPolicy.error.requiredInvalid",
                                                "termPolicy"};

inline constexpr ErrorKind term_policy_status_invalid{"statusInvalid", 400, 6105, "termPolicy.error.statusInvalid",
                                                      "termPolicy"};
inline constexpr ErrorKind term_policy_content_not_found{"contentNotFound", 404, 6106,
                                                         "termPolicy.error.contentNotFound", "termPolicy"};
inline constexpr ErrorKind term_policy_content_exist{"contentExist", 409, 6107, "termPolicy.error.contentExist",
                                                     "termPolicy"};
inline constexpr ErrorKind term_policy_content_empty{"contentEmpty", 400, 6108, "termPolicy.error.contentEmpty",
                                                     "termPolicy"};
inline constexpr ErrorKind term_policy_outdated{"termPolicyOutdated", 409, 6109, "termPolicy.error.outdated",
                                                "termPolicy"};
inline constexpr ErrorKind term_policy_content_invalid{"contentInvalid", 400, 6110, "termPolicy.error.contentInvalid",
                                                       "termPolicy"};
inline constexpr ErrorKind term_policy_withdraw_not_allowed{"withdrawNotAllowed", 400, 6111,
                                                            "termPolicy.error.withdrawNotAllowed", "termPolicy"};
// Another publication is in progress.
inline constexpr ErrorKind term_policy_busy{"busy", 409, 6112, "termPolicy.error.busy", "termPolicy"};
inline constexpr ErrorKind term_policy_not_accepted{"notAccepted", 409, 6113, "termPolicy.error.notAccepted",
                                                    "termPolicy"};
inline constexpr ErrorKind term_policy_placeholders_unfilled{"placeholdersUnfilled", 422, 6114,
                                                             "termPolicy.error.placeholdersUnfilled", "termPolicy"};
inline constexpr ErrorKind term_policy_receipt_not_found{"receiptNotFound", 404, 6115,
                                                         "termPolicy.error.receiptNotFound", "termPolicy"};
inline constexpr ErrorKind term_policy_log_pending{"logPending", 409, 6116, "termPolicy.error.logPending",
                                                   "termPolicy"};
inline constexpr ErrorKind term_policy_material_required{"materialRequired", 422, 6117,
                                                         "termPolicy.error.materialRequired", "termPolicy"};
inline constexpr ErrorKind term_policy_diff_outdated{"diffOutdated", 409, 6118, "termPolicy.error.diffOutdated",
                                                     "termPolicy"};
inline constexpr ErrorKind term_policy_acceptance_not_found{"acceptanceNotFound", 404, 6119,
                                                            "termPolicy.error.acceptanceNotFound", "termPolicy"};
// The database or the object store contradicts the checkpoint that the log has signed.
inline constexpr ErrorKind term_policy_log_differs{"logDiffers", 409, 6120, "termPolicy.error.logDiffers",
                                                   "termPolicy"};
inline constexpr ErrorKind term_policy_grace_not_allowed{"graceNotAllowed", 422, 6121,
                                                         "termPolicy.error.graceNotAllowed", "termPolicy"};

inline constexpr ErrorKind policy_forbidden{"forbidden", 403, 5180, "policy.error.forbidden", "policy"};

// Numbers the interface reserves. This service never returns them.
inline constexpr ErrorKind not_acceptable{"notAcceptable", 406, 406, "http.406", "http"};
inline constexpr ErrorKind not_implemented{"notImplemented", 501, 501, "http.501", "http"};
inline constexpr ErrorKind invalid_cursor_data{"invalidCursorData", 422, 5032, "pagination.error.invalidCursorData",
                                               "pagination"};
inline constexpr ErrorKind failed_to_decode_cursor{"failedToDecodeCursor", 422, 5034,
                                                   "pagination.error.failedToDecodeCursor", "pagination"};
inline constexpr ErrorKind param_required{"paramRequired", 400, 5032, "request.error.paramRequired", "request"};
inline constexpr ErrorKind env_forbidden{"envForbidden", 403, 5034, "http.clientError.forbidden", "request"};
inline constexpr ErrorKind user_not_found_forbidden{"notFoundForbidden", 403, 5175, "user.error.notFound", "user"};

}  // namespace consentry::errors
