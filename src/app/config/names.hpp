// Is a variable of the environment meant for us, and misspelt? (OPS-2)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/config.hpp"

namespace consentry {

// Letters inserted, removed, replaced, or swapped with their neighbour (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// A problem that stops the start: `name` is no setting, and is meant to be one. It begins as only our settings do, or
// differs from one by a single letter, or by two where it is long and its first part is right. The case of letters does
// not matter.
std::optional<ConfigProblem> misspelt_name(std::string_view name);

// A warning: `name` resembles a setting of ours and may as well be meant for another program of the same environment
// (SMTP_PORT, SESSION_SECRET). The text names the setting. Nothing for what misspelt_name() stops at.
std::optional<ConfigProblem> resembling_name(std::string_view name);

}  // namespace consentry
