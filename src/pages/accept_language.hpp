// The language of a page.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/locales.hpp"

namespace consentry {

// The field of a query that names the language.
inline constexpr std::string_view language_field = "lang";

// Returns the language that an Accept-Language header prefers among `spoken`, by its main language alone: de-DE is de
// (RFC 9110 section 12.5.4). Returns nullopt if it names none of them.
std::optional<Language> preferred_language(std::string_view accept_language, std::span<const Language> spoken);

// The name of a language in that language.
std::string_view own_name_of(Language language);

}  // namespace consentry
