// Redacts requests and responses before they are written to logs, error reports or the security event stream (LOG-1).
//
// Deny by default: content that is not JSON is not shown, deeply nested values are omitted, and all other values are
// judged by the name of their member. Email addresses are kept, because without them a log cannot tell whose login
// failed. All output is valid JSON on one line, regardless of the input bytes (LOG-2).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace consentry {

inline constexpr std::string_view redacted = "[REDACTED]";

// Matches the specification's list and similar names, ignoring case, dashes and underscores: "password", "X-Api-Key",
// "backupCodes", "challenge_token". Names of this service that hold no secret, such as "tokenType", are exempt.
bool is_secret_name(std::string_view name);

// Returns whether a header's value may be shown. Of unknown headers only the name is shown.
bool is_plain_header(std::string_view name);

// Appends `text` as a JSON string, including quotes, truncated after `bytes_max` bytes. Control characters, terminal
// escapes, line separators, bidirectional marks and invalid UTF-8 are escaped or replaced.
void append_log_string(std::string& out, std::string_view text, std::size_t bytes_max = 1'024);

// Returns whether the text contains neither a token nor a URL, so that redact_text() would not change it.
bool is_harmless(std::string_view text);
// Returns free text with anything that looks like a token removed, as well as the secret parts of URLs in it: user
// information, query, long path segments.
std::string redact_text(std::string_view text);
void append_log_text(std::string& out, std::string_view text, std::size_t bytes_max = 1'024);
// Removes path segments that are secrets; reset and verification links end in one.
std::string redact_path(std::string_view path);
// Returns the name=value pairs decoded, with the values of secret names replaced, and names redacted like free text.
std::string redact_query(std::string_view query);

// Appends a body as a JSON value. Secrets are replaced, arrays are cut to 10 elements and {"truncated": original
// count}, objects below depth 5 are omitted, long strings are cut, and strings that contain JSON are treated the same
// way, names included. A body that is not JSON or is too large becomes {"buffer":"[BUFFER]","size":bytes}.
//
// `known_end`: the final members of the body, including its closing brace, that are known to hold nothing secret;
// copied verbatim if they are plain text.
void append_redacted_json(std::string& out, std::string_view body, std::string_view known_end = {});

}  // namespace consentry
