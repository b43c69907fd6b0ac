// An account.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/uuid.hpp"
#include "http/schema/fields.hpp"

namespace consentry {

// What a role is to the program itself; the roles a service has are rows, each of one of these types.
enum class Role { user, admin, super_admin };
enum class UserStatus { active, inactive, blocked };
enum class LoginFrom { website, mobile };
enum class LoginWith { credential, social_google, social_apple };

using RoleId = Id<struct RoleTag>;

// The role of a type that every database has (migrations/0004_roles.sql): 00000000-0000-7000-8000-00000000000n.
inline RoleId built_in_role(Role type) {
    const auto n = static_cast<std::uint8_t>(1 + static_cast<unsigned>(type));
    return RoleId{Uuid{{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, n}}};
}

struct User {
    UserId id;
    std::string email;  // canonical: lower case
    std::string username;
    std::optional<std::string> name;
    RoleId role_id = built_in_role(Role::user);
    Role role = Role::user;  // the role's type, as read with the account
    UserStatus status = UserStatus::active;
    bool is_verified = false;
    // Rises with every change that ends what was granted before; a login begun under an older one fails (RAC-3).
    std::int64_t security_version = 1;
    std::optional<std::string> password_hash;
    std::optional<TimePoint> password_created_at;
    std::optional<TimePoint> password_expires_at;
    std::int64_t password_attempt = 0;
    std::optional<TimePoint> password_locked_until;
    TimePoint created_at;

    bool password_expired(TimePoint now) const { return password_expires_at && *password_expires_at <= now; }
    bool password_locked(TimePoint now) const { return password_locked_until && *password_locked_until > now; }
};

}  // namespace consentry

namespace consentry::http {

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
struct EnumNames<LoginFrom> {
    static constexpr std::array names{std::pair{LoginFrom::website, std::string_view{"website"}},
                                      std::pair{LoginFrom::mobile, std::string_view{"mobile"}}};
};
template <>
struct EnumNames<LoginWith> {
    static constexpr std::array names{std::pair{LoginWith::credential, std::string_view{"credential"}},
                                      std::pair{LoginWith::social_google, std::string_view{"socialGoogle"}},
                                      std::pair{LoginWith::social_apple, std::string_view{"socialApple"}}};
};

}  // namespace consentry::http
