#include "base/locales.hpp"

#include <span>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace consentry {

std::span<const EmbeddedFile> locale_files();

std::optional<Language> find_language(std::string_view name) {
    for (std::size_t i = 0; i < language_names.size(); ++i)
        if (equal_ignoring_case(name, language_names[i])) return static_cast<Language>(i);
    return std::nullopt;
}

Locales::Locales() {
    for (const EmbeddedFile& file : locale_files()) {
        const auto language = find_language(file.name.substr(0, file.name.find('.')));
        if (!language) throw std::runtime_error("locales: unknown language file " + std::string(file.name));
        messages_[static_cast<std::size_t>(*language)] = boost::json::parse(file.bytes).as_object();
    }
}

std::optional<std::string_view> Locales::find(Language language, std::string_view key) const {
    const auto* found = messages_[static_cast<std::size_t>(language)].if_contains(key);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return std::string_view(found->get_string());
}

std::string_view Locales::text(Language language, std::string_view key) const {
    return find(language, key).value_or(key);
}

std::string Locales::text(Language language, std::string_view key, const boost::json::object& values) const {
    const std::string_view pattern = text(language, key);
    std::string out;
    for (std::size_t i = 0; i < pattern.size();) {
        const auto open = pattern.find('{', i);
        const auto close = open == std::string_view::npos ? open : pattern.find('}', open);
        if (close == std::string_view::npos) {
            out.append(pattern.substr(i));
            break;
        }
        out.append(pattern.substr(i, open - i));
        const auto* value = values.if_contains(pattern.substr(open + 1, close - open - 1));
        if (value == nullptr) {
            out.append(pattern.substr(open, close - open + 1));
        } else if (value->is_string()) {
            out.append(value->get_string());
        } else {
            out.append(boost::json::serialize(*value));
        }
        i = close + 1;
    }
    return out;
}

}  // namespace consentry
