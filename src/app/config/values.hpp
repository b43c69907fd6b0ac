// Strict parsers for setting values: anything not exactly in the documented form is rejected, never guessed.
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

std::optional<bool> parse_flag(std::string_view text);                  // "true" or "false"
std::optional<std::int64_t> parse_whole_number(std::string_view text);  // decimal digits only, no sign

// A number with a unit: 500ms, 30s, 15m, 1h, 30d.
std::optional<milliseconds> parse_duration(std::string_view text);
std::string duration_text(milliseconds duration);  // in the largest unit that divides it: 3600000 is 1h; one day is 24h

// Accepts UTC, or a name in the system's time zone database.
bool is_timezone(std::string_view name);
// Accepts the empty path, or segments of letters, digits and ._~-, each after a slash. Rejects paths under which the
// service has pages of its own.
bool is_path_prefix(std::string_view path);
// A prefix of cache keys: 1 to 64 letters, digits and ._:-
bool is_cache_prefix(std::string_view text);
// Parses an absolute http or https URL without credentials, query and fragment; drops the trailing slash.
std::optional<std::string> parse_public_url(std::string_view text);
// Requires {userId} and {sessionId} exactly once each, no other braces, and printable ASCII only.
bool is_session_key_pattern(std::string_view text);

// Returns the file of sqlite:PATH or sqlite:///PATH, or what is wrong with the URL.
std::expected<std::filesystem::path, std::string> parse_database_url(std::string_view text);

// How the URL of a folder begins: file:FOLDER.
inline constexpr std::string_view file_scheme = "file:";
std::string folder_url(const std::filesystem::path& folder);
// Accepts file:FOLDER and file:///FOLDER; returns the former.
std::optional<std::string> parse_folder_url(std::string_view text);
// Returns nullopt if the URL names no folder.
std::optional<std::filesystem::path> folder_of_url(std::string_view url);

// Splits at commas and trims spaces; returns nullopt if a part is empty.
std::optional<std::vector<std::string>> parse_list(std::string_view text);

// A key that verifies tokens, with the kid that token headers use for it.
struct NamedKey {
    std::string kid;  // empty: derived from the key
    std::string key;  // PEM, or base64 of SPKI DER
};
// Parses KID=KEY or a bare KEY; returns nullopt if either part is empty.
std::optional<NamedKey> parse_named_key(std::string_view text);

// Returns the URL with *** in place of a password: between "://user:" and "@", and in parameters with such a name.
std::string mask_url_password(std::string_view url);

}  // namespace consentry
