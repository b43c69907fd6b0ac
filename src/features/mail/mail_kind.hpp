// The kinds of mails. The name on the right is stored and is the key of the texts: locales/*.json have
// mail.<name>.subject and mail.<name>.text for each kind.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "base/enum_names.hpp"

namespace consentry {

enum class MailKind {
    // Mails with a link; facts: token.
    verify_email,
    forgot_password,
    // Mails with a secret; facts: password.
    temporary_password,
    // Notices. Facts, if known: address, userAgent.
    welcome,
    password_changed,
    password_reset,
    password_locked,
    new_device,  // additional fact: device, if the client named it
    two_factor_enabled,
    two_factor_disabled,
    two_factor_reset,    // by an administrator or the operator, like the next one; must be set up again
    two_factor_removed,  // turned off
    two_factor_failed,
    two_factor_locked,
    backup_codes_replaced,
    backup_code_used,  // used to log in
    backup_code_used_for_change,
    session_reuse,
    identity_joined,    // additional fact: provider
    identity_unlinked,  // by an administrator; additional fact: provider
    account_deleted,
    // An announcement; facts: type, version, url.
    policy_published,
};

template <>
struct EnumNames<MailKind> {
    using enum MailKind;
    static constexpr std::array names{
        std::pair{verify_email, std::string_view{"verifyEmail"}},
        std::pair{forgot_password, std::string_view{"forgotPassword"}},
        std::pair{temporary_password, std::string_view{"temporaryPassword"}},
        std::pair{welcome, std::string_view{"welcome"}},
        std::pair{password_changed, std::string_view{"passwordChanged"}},
        std::pair{password_reset, std::string_view{"passwordReset"}},
        std::pair{password_locked, std::string_view{"passwordLocked"}},
        std::pair{new_device, std::string_view{"newDevice"}},
        std::pair{two_factor_enabled, std::string_view{"twoFactorEnabled"}},
        std::pair{two_factor_disabled, std::string_view{"twoFactorDisabled"}},
        std::pair{two_factor_reset, std::string_view{"twoFactorReset"}},
        std::pair{two_factor_removed, std::string_view{"twoFactorRemoved"}},
        std::pair{two_factor_failed, std::string_view{"twoFactorFailed"}},
        std::pair{two_factor_locked, std::string_view{"twoFactorLocked"}},
        std::pair{backup_codes_replaced, std::string_view{"backupCodesReplaced"}},
        std::pair{backup_code_used, std::string_view{"backupCodeUsed"}},
        std::pair{backup_code_used_for_change, std::string_view{"backupCodeUsedForChange"}},
        std::pair{session_reuse, std::string_view{"sessionReuse"}},
        std::pair{identity_joined, std::string_view{"identityJoined"}},
        std::pair{identity_unlinked, std::string_view{"identityUnlinked"}},
        std::pair{account_deleted, std::string_view{"accountDeleted"}},
        std::pair{policy_published, std::string_view{"policyPublished"}},
    };
};

}  // namespace consentry
