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

enum class Role { user, admin, super_admin };
enum class UserStatus { active, inactive, blocked };
enum class LoginFrom { website, mobile };
enum class LoginWith { credential, social_google, social_apple };

struct User {
    UserId id;
    std::string email;  // canonical: lower case
    std::string username;
    std::optional<std::string> name;
    Role role = Role::user;
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
