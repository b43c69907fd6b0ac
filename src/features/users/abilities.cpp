#include "features/users/abilities.hpp"

#include <algorithm>

namespace consentry {

bool Abilities::include(const Abilities& others) const {
    for (const auto& [subject, subject_name] : EnumNames<Subject>::names)
        for (const auto& [action, action_name] : EnumNames<Action>::names)
            if (others.name({subject, action}) && !allow({subject, action})) return false;
    return true;
}

std::int64_t Abilities::size() const {
    return std::ranges::count_if(actions_, [](std::uint8_t actions) { return actions != 0; });
}

}  // namespace consentry
