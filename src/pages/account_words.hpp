// Words and times that several pages of the account show.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "features/users/consent.hpp"
#include "pages/view.hpp"
#include "pages/visit.hpp"

namespace consentry {

// The same in all languages: "2026-11-25 10:40 UTC".
std::string shown_time(TimePoint time);

// In groups, as people read and type it: "ABCD EFGH".
std::string in_groups(std::string_view text, std::size_t of);

// The title of a policy type.
std::string policy_name(const Locales& locales, Language language, PolicyType type);

// What a form has done, after it has led to another page: `done`, the message pages.done.<value of the query>.
View done_view(const Locales& locales, const Visit& visit);

}  // namespace consentry
