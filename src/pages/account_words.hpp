// Words that several pages of the account show.
#pragma once

#include <string>
#include <string_view>

#include "base/locales.hpp"
#include "features/users/consent.hpp"
#include "pages/view.hpp"
#include "pages/visit.hpp"

namespace consentry {

// In groups, as people read and type it: "ABCD EFGH".
std::string in_groups(std::string_view text, std::size_t of);

// The title of a policy type.
std::string policy_name(const Locales& locales, Language language, PolicyType type);

}  // namespace consentry
