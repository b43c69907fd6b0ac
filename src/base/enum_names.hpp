// Names of enum values as used on the wire, in the database and on the command line.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace consentry {

// Specialize with: static constexpr std::array names{std::pair{Enum::value, std::string_view{"value"}}, ...};
template <class Enum>
struct EnumNames;

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires { EnumNames<T>::names; };

template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
    for (const auto& [candidate, name] : EnumNames<Enum>::names)
        if (candidate == value) return name;
    return {};
}
template <NamedEnum Enum>
constexpr std::optional<Enum> find_enum(std::string_view name) {
    for (const auto& [candidate, text] : EnumNames<Enum>::names)
        if (text == name) return candidate;
    return std::nullopt;
}
// For messages: "red, green, blue".
template <NamedEnum Enum>
std::string all_names() {
    std::string out;
    for (const auto& [value, name] : EnumNames<Enum>::names) out.append(out.empty() ? "" : ", ").append(name);
    return out;
}

}  // namespace consentry
