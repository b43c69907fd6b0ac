// Detects environment variables that are misspelled settings of this service (OPS-2).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/config.hpp"
#include "app/config/dotenv.hpp"

namespace consentry {

// Counts insertions, deletions, substitutions and swaps of neighboring letters (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns a problem that stops the start if `name` is not a setting but evidently meant as one: it has a prefix that
// only this service's settings use, or differs from a setting by one letter, or by two if it is long and its first part
// is correct. Case-insensitive. `environment`: the variables beside it, which reveal what Kubernetes has set.
std::optional<ConfigProblem> misspelled_name(std::string_view name, const Environment& environment = {});

// Returns a warning, naming the setting, if `name` resembles a setting but may as well belong to another program in the
// same environment (SMTP_PORT, SESSION_SECRET). Returns nullopt for names that misspelled_name() rejects.
std::optional<ConfigProblem> resembling_name(std::string_view name, const Environment& environment = {});

}  // namespace consentry
