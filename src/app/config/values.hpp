// Texts of settings as values, strictly: what is not exactly in the stated form is refused, never guessed.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace consentry {

std::optional<bool> parse_flag(std::string_view text);                  // true or false
std::optional<std::int64_t> parse_whole_number(std::string_view text);  // decimal digits only, no sign

// A number with a unit: 500ms, 30s, 15m, 1h, 30d.
std::optional<milliseconds> parse_duration(std::string_view text);
std::string duration_text(milliseconds duration);  // in the largest unit that divides it: 3600000 is 1h; one day is 24h

// UTC, or a name for which the system has a file of its time zone database.
bool is_timezone(std::string_view name);
// Empty, or segments of letters, digits and ._~- each after a slash; not where the service has pages of its own.
bool is_path_prefix(std::string_view path);
// What keys of the cache begin with: 1 to 64 letters, digits and ._:-
bool is_cache_prefix(std::string_view text);
// An absolute http or https address without credentials, query and fragment; its closing slash is dropped.
std::optional<std::string> parse_public_url(std::string_view text);
// {userId} and {sessionId} once each, no other braces, nothing but printable ASCII.
bool is_session_key_pattern(std::string_view text);

// The file of sqlite:PATH or sqlite:///PATH, or what is wrong with the address.
std::expected<std::filesystem::path, std::string> parse_database_url(std::string_view text);

// The parts between commas without blanks around them; nullopt where one of them is empty.
std::optional<std::vector<std::string>> parse_list(std::string_view text);

// A key that verifies tokens, and the name that their headers give it.
struct NamedKey {
    std::string kid;  // empty: follows from the key
    std::string key;  // PEM, or base64 of SPKI DER
};
// KID=KEY, or a KEY alone; nullopt where either is empty.
std::optional<NamedKey> parse_named_key(std::string_view text);

// The address with *** in place of a password: between "://user:" and "@", and in parameters named so.
std::string mask_url_password(std::string_view url);

}  // namespace consentry
