// The types of settings. Path leads from Config to the member: whole_number<&Config::http, &HttpConfig::port>(0,
// 65535).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/config/setting_spec.hpp"
#include "app/config/values.hpp"
#include "base/ascii.hpp"
#include "base/email_address.hpp"
#include "base/text.hpp"

namespace consentry::setting_types {

using Read = std::expected<void, std::string>;

template <auto... Path>
decltype(auto) at(auto& config) {
    return (config.*....*Path);
}
template <auto... Path>
using Target = std::remove_reference_t<decltype(at<Path...>(std::declval<Config&>()))>;

// The error for a value that does not have the required form.
inline std::unexpected<std::string> refused(const std::string& allowed) {
    return std::unexpected("must be " + allowed);
}

template <auto... Path>
SettingType flag() {
    std::string allowed = "true or false";
    return {allowed,
            [allowed](std::string_view text, Config& config) -> Read {
                const auto value = parse_flag(text);
                if (!value) return refused(allowed);
                at<Path...>(config) = *value;
                return {};
            },
            [](const Config& config) -> std::string { return at<Path...>(config) ? "true" : "false"; }};
}

// Numbers, and durations whose setting name states the unit (…_IN_SECONDS): the type of the member determines the unit.
template <auto... Path>
SettingType whole_number(std::int64_t low, std::int64_t high) {
    using Value = Target<Path...>;
    std::string allowed =
        low == high ? std::to_string(low) : "an integer from " + std::to_string(low) + " to " + std::to_string(high);
    return {allowed,
            [=](std::string_view text, Config& config) -> Read {
                const auto number = parse_whole_number(text);
                if (!number || *number < low || *number > high) return refused(allowed);
                if constexpr (std::is_integral_v<Value>)
                    at<Path...>(config) = static_cast<Value>(*number);
                else
                    at<Path...>(config) = Value{*number};
                return {};
            },
            [](const Config& config) {
                if constexpr (std::is_integral_v<Value>)
                    return std::to_string(at<Path...>(config));
                else
                    return std::to_string(at<Path...>(config).count());
            }};
}

// A setting of the interface that supports a single value here, case-insensitively: any other value stops the start,
// with the reason.
inline SettingType only(std::string value, std::string_view reason) {
    return {value,
            [value, why = value + ": " + std::string(reason)](std::string_view text, Config&) -> Read {
                if (!equal_ignoring_case(text, value)) return refused(why);
                return {};
            },
            [value](const Config&) { return value; }};
}

// A setting of the interface that has no effect here: setting it stops the start, with the reason.
inline SettingType unsupported(std::string_view reason) {
    std::string allowed = "unset: " + std::string(reason);
    return {allowed, [allowed](std::string_view, Config&) -> Read { return refused(allowed); },
            [](const Config&) { return std::string(); }};
}

// A number of megabytes, stored in bytes.
template <auto... Path>
SettingType megabytes(std::int64_t low, std::int64_t high) {
    constexpr std::int64_t megabyte = 1024 * 1024;
    std::string allowed = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
    return {allowed,
            [=](std::string_view text, Config& config) -> Read {
                const auto number = parse_whole_number(text);
                if (!number || *number < low || *number > high) return refused(allowed);
                at<Path...>(config) = static_cast<Target<Path...>>(*number * megabyte);
                return {};
            },
            [](const Config& config) { return std::to_string(at<Path...>(config) / megabyte); }};
}

template <auto... Path>
SettingType duration(milliseconds low, milliseconds high) {
    using Value = Target<Path...>;
    constexpr bool whole_seconds = std::is_same_v<Value, seconds>;
    std::string allowed = "a duration from " + duration_text(low) + " to " + duration_text(high) +
                          (whole_seconds ? ", in whole seconds" : "");
    return {allowed,
            [=](std::string_view text, Config& config) -> Read {
                const auto value = parse_duration(text);
                if (!value || *value < low || *value > high) return refused(allowed);
                const auto kept = std::chrono::duration_cast<Value>(*value);
                if (kept != *value) return refused(allowed);
                at<Path...>(config) = kept;
                return {};
            },
            [](const Config& config) { return duration_text(at<Path...>(config)); }};
}

template <auto... Path>
SettingType one_of(std::vector<std::pair<std::string_view, Target<Path...>>> choices) {
    std::string allowed;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i != 0) allowed += i + 1 == choices.size() ? " or " : ", ";
        allowed += choices[i].first;
    }
    return {allowed,
            [=](std::string_view text, Config& config) -> Read {
                for (const auto& [name, value] : choices) {
                    if (name != text) continue;
                    at<Path...>(config) = value;
                    return {};
                }
                return refused(allowed);
            },
            [=](const Config& config) {
                for (const auto& [name, value] : choices)
                    if (value == at<Path...>(config)) return std::string(name);
                return std::string();
            }};
}

// Text accepted by the predicate `allows`; `allowed` describes it to people.
template <auto... Path>
SettingType text(std::string allowed, bool (*allows)(std::string_view)) {
    return {allowed,
            [allowed, allows](std::string_view value, Config& config) -> Read {
                if (!allows(value)) return refused(allowed);
                at<Path...>(config) = Target<Path...>(value);
                return {};
            },
            [](const Config& config) -> std::string { return at<Path...>(config); }};
}

// One line of text for people.
template <auto... Path>
SettingType line() {
    return text<Path...>("1 to 100 characters on one line", [](std::string_view value) {
        const auto length = code_points(value);
        const bool blank = trim(value).empty();
        return length && *length <= 100 && !blank && std::ranges::none_of(value, is_control);
    });
}

// An email address. Keeps its canonical form, the only one that headers and envelopes of mails take.
template <auto... Path>
SettingType email_address(bool may_be_empty = false) {
    std::string allowed = may_be_empty ? "empty, or an email address" : "an email address";
    return {allowed,
            [allowed, may_be_empty](std::string_view text, Config& config) -> Read {
                auto address = may_be_empty && text.empty() ? std::optional<std::string>("") : canonical_email(text);
                if (!address) return refused(allowed);
                at<Path...>(config) = std::move(*address);
                return {};
            },
            [](const Config& config) -> std::string { return at<Path...>(config); }};
}
template <auto... Path>
SettingType email_address_or_none() {
    return email_address<Path...>(true);
}

inline SettingType as_secret(SettingType type) {
    type.secret = true;
    return type;
}

inline std::string joined(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& entry : list) out.append(out.empty() ? "" : ",").append(entry);
    return out;
}

// A comma-separated list, converted by `Parsed`.
template <class Parsed, auto... Path>
SettingType list_of(std::string allowed) {
    return {allowed,
            [allowed](std::string_view text, Config& config) -> Read {
                auto list = text.empty() ? std::vector<std::string>{} : parse_list(text);
                if (!list) return refused(allowed);
                if (auto parsed = Parsed::parse(*list); !parsed) return refused(parsed.error());
                at<Path...>(config) = std::move(*list);
                return {};
            },
            [](const Config& config) { return joined(at<Path...>(config)); }};
}

}  // namespace consentry::setting_types
