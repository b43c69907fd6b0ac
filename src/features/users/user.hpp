// Accounts and their profiles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/enum_names.hpp"
#include "base/locales.hpp"
#include "base/uuid.hpp"

namespace consentry {

// The kind of a role, as the code knows it. A service's own roles are database rows, each of one of these types.
enum class Role { user, admin, super_admin };
enum class UserStatus { active, inactive, blocked };
enum class LoginFrom { website, mobile };
enum class LoginWith { credential, social_google, social_apple };
// Who created the account: the operator, an administrator, or its owner by website or mobile application.
enum class SignUpFrom { system, admin, website, mobile };

enum class Gender { male, female };

using RoleId = Id<struct RoleTag>;

// The built-in role of a type, which every database has (migrations/0004_roles.sql):
// 00000000-0000-7000-8000-00000000000n.
inline RoleId built_in_role(Role type) {
    const auto n = static_cast<std::uint8_t>(1 + static_cast<unsigned>(type));
    return RoleId{Uuid{{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, n}}};
}

// The part of a User that lists show and imports bring.
struct UserSummary {
    UserId id;
    std::string email;  // canonical: lower case
    std::string username;
    std::optional<std::string> name;
    RoleId role_id = built_in_role(Role::user);
    Role role = Role::user;  // the type of `role_id`, read along with the account
    UserStatus status = UserStatus::active;
    bool is_verified = false;
    Language language = Language::en;  // of mails to the owner
    TimePoint created_at;
};

struct User : UserSummary {
    // Raised by every change that ends earlier grants. A login begun under an older version fails (RAC-3).
    std::int64_t security_version = 1;
    std::int64_t epoch = 0;  // the installation's epoch, read along with the account
    std::optional<std::string> password_hash;
    std::optional<TimePoint> password_created_at;
    std::optional<TimePoint> password_expires_at;
    std::int64_t password_attempt = 0;
    std::optional<TimePoint> password_locked_until;
    bool must_change_password = false;  // the password is temporary
    SignUpFrom sign_up_from = SignUpFrom::system;
    LoginWith sign_up_with = LoginWith::credential;

    // A temporary password from the future expires at once: the clock was set back, so its age is unknown.
    bool password_expired(TimePoint now) const {
        return (password_expires_at && *password_expires_at <= now) ||
               (must_change_password && password_created_at && *password_created_at > now + clock_ahead_max);
    }
    bool password_locked(TimePoint now) const { return password_locked_until && *password_locked_until > now; }
};

// The full account, as its owner and administrators see it. User holds only the fields that decisions need.
struct Profile {
    User user;
    std::string role_name;
    std::optional<TimePoint> verified_at;
    TimePoint sign_up_at;
    std::optional<TimePoint> last_login_at;
    std::optional<LoginFrom> last_login_from;
    std::optional<LoginWith> last_login_with;
    std::optional<std::string> last_ip_address;
    std::optional<Gender> gender;
    TimePoint updated_at;
};

template <>
struct EnumNames<Role> {
    static constexpr std::array names{std::pair{Role::user, std::string_view{"user"}},
                                      std::pair{Role::admin, std::string_view{"admin"}},
                                      std::pair{Role::super_admin, std::string_view{"superAdmin"}}};
};
template <>
struct EnumNames<UserStatus> {
    static constexpr std::array names{std::pair{UserStatus::active, std::string_view{"active"}},
                                      std::pair{UserStatus::inactive, std::string_view{"inactive"}},
                                      std::pair{UserStatus::blocked, std::string_view{"blocked"}}};
};
template <>
struct EnumNames<Gender> {
    static constexpr std::array names{std::pair{Gender::male, std::string_view{"male"}},
                                      std::pair{Gender::female, std::string_view{"female"}}};
};
template <>
struct EnumNames<LoginFrom> {
    static constexpr std::array names{std::pair{LoginFrom::website, std::string_view{"website"}},
                                      std::pair{LoginFrom::mobile, std::string_view{"mobile"}}};
};
template <>
struct EnumNames<SignUpFrom> {
    static constexpr std::array names{std::pair{SignUpFrom::system, std::string_view{"system"}},
                                      std::pair{SignUpFrom::admin, std::string_view{"admin"}},
                                      std::pair{SignUpFrom::website, std::string_view{"website"}},
                                      std::pair{SignUpFrom::mobile, std::string_view{"mobile"}}};
};
template <>
struct EnumNames<LoginWith> {
    static constexpr std::array names{std::pair{LoginWith::credential, std::string_view{"credential"}},
                                      std::pair{LoginWith::social_google, std::string_view{"socialGoogle"}},
                                      std::pair{LoginWith::social_apple, std::string_view{"socialApple"}}};
};

}  // namespace consentry
