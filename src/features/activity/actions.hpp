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
    };
};

}  // namespace consentry
