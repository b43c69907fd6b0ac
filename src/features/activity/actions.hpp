// What the activity log tells of. The name on the right is stored and seen by clients; locales/*.json describe it under
// activityLog.<name>.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "http/schema/fields.hpp"

namespace consentry {

enum class ActivityAction {
    user_login_credential,
    user_refresh_token,
    user_logout,
    user_revoke_session,
    user_change_password,
    user_reach_max_password_attempt,
    user_setup_two_factor,
    user_enable_two_factor,
    user_disable_two_factor,
    user_verify_two_factor,
    user_regenerate_two_factor_backup_codes,
    admin_user_reset_two_factor,
    user_login_google,
    user_login_apple,
    user_join_google,
    user_join_apple,
    user_signed_up,
    user_send_verification_email,
    user_verified_email,
    user_forgot_password,
    user_reset_password,
    user_update_profile,
    user_export,
    user_delete_self,
    admin_user_create,
    admin_user_update_status,
    admin_user_update_password,
    admin_user_update_role,
    admin_user_export,
    admin_user_import,
    admin_session_revoke,
    admin_api_key_create,
    admin_api_key_reset,
    admin_api_key_update,
    admin_api_key_update_date,
    admin_api_key_update_status,
    admin_api_key_delete,
    admin_role_create,
    admin_role_update,
    admin_role_delete,
    user_accept_term_policy,
    user_withdraw_term_policy,
    admin_term_policy_create,
    admin_term_policy_add_content,
    admin_term_policy_update_content,
    admin_term_policy_remove_content,
    admin_term_policy_publish,
    admin_term_policy_delete,
};

template <>
struct http::EnumNames<ActivityAction> {
    using enum ActivityAction;
    static constexpr std::array names{
        std::pair{user_login_credential, std::string_view{"userLoginCredential"}},
        std::pair{user_refresh_token, std::string_view{"userRefreshToken"}},
        std::pair{user_logout, std::string_view{"userLogout"}},
        std::pair{user_revoke_session, std::string_view{"userRevokeSession"}},
        std::pair{user_change_password, std::string_view{"userChangePassword"}},
        std::pair{user_reach_max_password_attempt, std::string_view{"userReachMaxPasswordAttempt"}},
        std::pair{user_setup_two_factor, std::string_view{"userSetupTwoFactor"}},
        std::pair{user_enable_two_factor, std::string_view{"userEnableTwoFactor"}},
        std::pair{user_disable_two_factor, std::string_view{"userDisableTwoFactor"}},
        std::pair{user_verify_two_factor, std::string_view{"userVerifyTwoFactor"}},
        std::pair{user_regenerate_two_factor_backup_codes, std::string_view{"userRegenerateTwoFactorBackupCodes"}},
        std::pair{admin_user_reset_two_factor, std::string_view{"adminUserResetTwoFactor"}},
        std::pair{user_login_google, std::string_view{"userLoginGoogle"}},
        std::pair{user_login_apple, std::string_view{"userLoginApple"}},
        std::pair{user_join_google, std::string_view{"userJoinGoogle"}},
        std::pair{user_join_apple, std::string_view{"userJoinApple"}},
        std::pair{user_signed_up, std::string_view{"userSignedUp"}},
        std::pair{user_send_verification_email, std::string_view{"userSendVerificationEmail"}},
        std::pair{user_verified_email, std::string_view{"userVerifiedEmail"}},
        std::pair{user_forgot_password, std::string_view{"userForgotPassword"}},
        std::pair{user_reset_password, std::string_view{"userResetPassword"}},
        std::pair{user_update_profile, std::string_view{"userUpdateProfile"}},
        std::pair{user_export, std::string_view{"userExport"}},
        std::pair{user_delete_self, std::string_view{"userDeleteSelf"}},
        std::pair{admin_user_create, std::string_view{"adminUserCreate"}},
        std::pair{admin_user_update_status, std::string_view{"adminUserUpdateStatus"}},
        std::pair{admin_user_update_password, std::string_view{"adminUserUpdatePassword"}},
        std::pair{admin_user_update_role, std::string_view{"adminUserUpdateRole"}},
        std::pair{admin_user_export, std::string_view{"adminUserExport"}},
        std::pair{admin_user_import, std::string_view{"adminUserImport"}},
        std::pair{admin_session_revoke, std::string_view{"adminSessionRevoke"}},
        std::pair{admin_api_key_create, std::string_view{"adminApiKeyCreate"}},
        std::pair{admin_api_key_reset, std::string_view{"adminApiKeyReset"}},
        std::pair{admin_api_key_update, std::string_view{"adminApiKeyUpdate"}},
        std::pair{admin_api_key_update_date, std::string_view{"adminApiKeyUpdateDate"}},
        std::pair{admin_api_key_update_status, std::string_view{"adminApiKeyUpdateStatus"}},
        std::pair{admin_api_key_delete, std::string_view{"adminApiKeyDelete"}},
        std::pair{admin_role_create, std::string_view{"adminRoleCreate"}},
        std::pair{admin_role_update, std::string_view{"adminRoleUpdate"}},
        std::pair{admin_role_delete, std::string_view{"adminRoleDelete"}},
        std::pair{user_accept_term_policy, std::string_view{"userAcceptTermPolicy"}},
        std::pair{user_withdraw_term_policy, std::string_view{"userWithdrawTermPolicy"}},
        std::pair{admin_term_policy_create, std::string_view{"adminTermPolicyCreate"}},
        std::pair{admin_term_policy_add_content, std::string_view{"adminTermPolicyAddContent"}},
        std::pair{admin_term_policy_update_content, std::string_view{"adminTermPolicyUpdateContent"}},
        std::pair{admin_term_policy_remove_content, std::string_view{"adminTermPolicyRemoveContent"}},
        std::pair{admin_term_policy_publish, std::string_view{"adminTermPolicyPublish"}},
        std::pair{admin_term_policy_delete, std::string_view{"adminTermPolicyDelete"}},
    };
};

}  // namespace consentry
