// Acts: what administrators and the operator do, and what changes the rights of an account. Each is a row that the
// transaction of the change writes. The administration log makes an entry of it (features/administration_log).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "features/activity/actions.hpp"
#include "features/users/user.hpp"

namespace consentry {

using ActId = Id<struct ActTag>;

// The actions that are acts, and their numbers in the log. A number stays with its action forever.
struct ActCode {
    ActivityAction action;
    std::int64_t code;
};
inline constexpr std::array act_codes = [] {
    using enum ActivityAction;
    return std::array{
        ActCode{admin_user_create, 1},
        ActCode{admin_user_update_status, 2},
        ActCode{admin_user_update_role, 3},
        ActCode{admin_user_update_password, 4},
        ActCode{admin_user_reset_two_factor, 5},
        ActCode{admin_user_export, 6},
        ActCode{admin_user_import, 7},
        ActCode{admin_session_revoke, 8},
        ActCode{admin_role_create, 9},
        ActCode{admin_role_update, 10},
        ActCode{admin_role_delete, 11},
        ActCode{admin_api_key_create, 12},
        ActCode{admin_api_key_reset, 13},
        ActCode{admin_api_key_update, 14},
        ActCode{admin_api_key_update_date, 15},
        ActCode{admin_api_key_update_status, 16},
        ActCode{admin_api_key_delete, 17},
        ActCode{admin_term_policy_create, 18},
        ActCode{admin_term_policy_add_content, 19},
        ActCode{admin_term_policy_update_content, 20},
        ActCode{admin_term_policy_remove_content, 21},
        ActCode{admin_term_policy_publish, 22},
        ActCode{admin_term_policy_delete, 23},
        ActCode{admin_feature_flag_update, 24},
        ActCode{admin_epoch_raise, 25},
        ActCode{user_change_password, 26},
        ActCode{user_reset_password, 27},
        ActCode{user_enable_two_factor, 28},
        ActCode{user_disable_two_factor, 29},
        ActCode{user_regenerate_two_factor_backup_codes, 30},
        ActCode{user_join_google, 31},
        ActCode{user_join_apple, 32},
        ActCode{user_delete_self, 33},
        ActCode{admin_consent_export, 34},
        ActCode{admin_keys_rotate, 35},
        ActCode{admin_user_unlock, 36},
        ActCode{admin_user_delete, 37},
        ActCode{admin_user_unlink_identity, 38},
        ActCode{admin_term_policy_update_processing, 39},
    };
}();

constexpr std::optional<std::int64_t> act_code(ActivityAction action) {
    const auto found = std::ranges::find(act_codes, action, &ActCode::action);
    if (found == act_codes.end()) return std::nullopt;
    return found->code;
}
// The name of the action. A newer version of the program may have written a number that this one does not know.
std::string act_name(std::int64_t code);

struct Act {
    ActId id;
    std::int64_t code = 0;
    std::optional<UserId> actor = {};    // nullopt: the operator on the command line
    std::optional<UserId> subject = {};  // nullopt: the act concerns no single account
    std::optional<std::string> ip_address = {};
    std::optional<std::string> user_agent = {};
    std::optional<std::string> metadata = {};  // JSON
    TimePoint at = {};
};

}  // namespace consentry
