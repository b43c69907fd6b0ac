// The embedded messages of locales/*.json. Immutable after start, so all threads read without a lock.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/enum_names.hpp"

namespace consentry {

enum class Language : std::size_t { en, id, es, fr, de, ja };
inline constexpr std::array<std::string_view, 6> language_names{"en", "id", "es", "fr", "de", "ja"};

constexpr std::string_view name_of(Language language) { return language_names[static_cast<std::size_t>(language)]; }
template <>
struct EnumNames<Language> {
    static constexpr std::array names{
        std::pair{Language::en, language_names[0]}, std::pair{Language::id, language_names[1]},
        std::pair{Language::es, language_names[2]}, std::pair{Language::fr, language_names[3]},
        std::pair{Language::de, language_names[4]}, std::pair{Language::ja, language_names[5]}};
};
// Case-insensitive; returns nullopt for a language that is not shipped.
std::optional<Language> find_language(std::string_view name);

class Locales {
public:
    // Reads the embedded files; throws std::runtime_error if one is damaged.
    Locales();

    // Returns the text of a key with its placeholders ("{property}") left in place, or nullopt if the language lacks
    // the key.
    std::optional<std::string_view> find(Language language, std::string_view key) const;
    // Returns the text, or the key itself if there is none.
    std::string_view text(Language language, std::string_view key) const;
    // Returns the text with its {name} placeholders replaced from `values`; unknown placeholders remain.
    std::string text(Language language, std::string_view key, const boost::json::object& values) const;

private:
    std::array<boost::json::object, language_names.size()> messages_;
};

}  // namespace consentry
