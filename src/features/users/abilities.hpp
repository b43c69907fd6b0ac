// What a role allows: actions on subjects. The subject `all` and the action `manage` each stand for all others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "features/users/user.hpp"

namespace consentry {

enum class Subject {
    all,
    api_key,
    role,
    user,
    session,
    activity_log,
    password_history,
    term_policy,
    feature_flag,
    device
};
enum class Action { manage, read, create, update, erase };

struct Ability {
    Subject subject;
    Action action;
};

class Abilities {
public:
    constexpr void add(Ability ability) { actions_[at(ability.subject)] |= bit(ability.action); }
    // Returns whether exactly this ability is listed, without expanding `all` and `manage`.
    constexpr bool name(Ability ability) const { return (actions_[at(ability.subject)] & bit(ability.action)) != 0; }
    constexpr bool allow(Ability ability) const {
        const auto of = [&](Subject subject) {
            return name({subject, ability.action}) || name({subject, Action::manage});
        };
        return of(ability.subject) || of(Subject::all);
    }
    // Returns whether this allows everything that `others` lists.
    bool include(const Abilities& others) const;
    // The number of subjects listed.
    std::int64_t size() const;

private:
    static constexpr std::size_t at(Subject subject) { return static_cast<std::size_t>(subject); }
    static constexpr std::uint8_t bit(Action action) {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(action));
    }
    std::array<std::uint8_t, static_cast<std::size_t>(Subject::device) + 1> actions_{};  // one bit per action
};

// The part of a role that access decisions use.
struct Rights {
    Role type = Role::user;
    Abilities abilities;

    // Abilities apply to admins only. Super admins may do everything.
    bool allow(Ability ability) const {
        return type == Role::super_admin || (type == Role::admin && abilities.allow(ability));
    }
    // Administrators may not grant rights that they lack, nor change a role or account whose rights exceed their own.
    bool include(const Rights& other) const {
        if (type == Role::super_admin) return true;
        return type == Role::admin && other.type != Role::super_admin && abilities.include(other.abilities);
    }
};

template <>
struct EnumNames<Subject> {
    static constexpr std::array names{std::pair{Subject::all, std::string_view{"all"}},
                                      std::pair{Subject::api_key, std::string_view{"apiKey"}},
                                      std::pair{Subject::role, std::string_view{"role"}},
                                      std::pair{Subject::user, std::string_view{"user"}},
                                      std::pair{Subject::session, std::string_view{"session"}},
                                      std::pair{Subject::activity_log, std::string_view{"activityLog"}},
                                      std::pair{Subject::password_history, std::string_view{"passwordHistory"}},
                                      std::pair{Subject::term_policy, std::string_view{"termPolicy"}},
                                      std::pair{Subject::feature_flag, std::string_view{"featureFlag"}},
                                      std::pair{Subject::device, std::string_view{"device"}}};
};
template <>
struct EnumNames<Action> {
    static constexpr std::array names{
        std::pair{Action::manage, std::string_view{"manage"}}, std::pair{Action::read, std::string_view{"read"}},
        std::pair{Action::create, std::string_view{"create"}}, std::pair{Action::update, std::string_view{"update"}},
        std::pair{Action::erase, std::string_view{"delete"}}};
};

}  // namespace consentry
