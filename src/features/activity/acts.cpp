#include "features/activity/acts.hpp"

namespace consentry {

std::string act_name(std::int64_t code) {
    const auto found = std::ranges::find(act_codes, code, &ActCode::code);
    return found == act_codes.end() ? "act " + std::to_string(code) : std::string(name_of(found->action));
}

}  // namespace consentry
