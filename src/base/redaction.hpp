// What may be written down of requests and answers: in logs, in error reports, in the security event stream (LOG-1).
//
// Deny by default: what is not JSON is not shown at all, what is deep is left out, values are judged by the name they
// stand under. E-mail addresses stay: without them a log cannot tell whose login failed. Everything appended here is
// valid JSON on one line, whatever the bytes it was made of (LOG-2).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace consentry {

inline constexpr std::string_view redacted = "[REDACTED]";

// The specification's list and all that is like it, whatever the case and with or without dashes and underscores:
// "password", "X-Api-Key", "backupCodes", "challenge_token"; but for names of ours that tell none, such as "tokenType".
bool is_secret_name(std::string_view name);

// Whether a header's value is for everybody's eyes. Of headers that we do not know only the name is told.
bool is_plain_header(std::string_view name);

// As a JSON string, quotes included, cut after `bytes_max` bytes. Control characters, terminal escapes, line
// separators, marks that turn the direction of writing, and bytes that are no UTF-8 are escaped or replaced.
void append_log_string(std::string& out, std::string_view text, std::size_t bytes_max = 1'024);

// Free text without what looks like a token, and without the secret parts of addresses in it: user information, query,
// long path segments.
std::string redact_text(std::string_view text);
void append_log_text(std::string& out, std::string_view text, std::size_t bytes_max = 1'024);
// A path without segments that are secrets: links for a reset or a verification end in one.
std::string redact_path(std::string_view path);
// name=value pairs as sent, the values of secret names replaced.
std::string redact_query(std::string_view query);

// A body as a JSON value: secrets replaced, arrays cut to 10 elements and {"truncated": how many there were}, objects
// below depth 5 left out, long strings cut, strings that hold JSON themselves treated alike. What is no JSON or too
// large becomes {"buffer":"[BUFFER]","size":bytes}.
// `known_end`: members it ends with, and its last brace, that hold nothing to be hidden: copied where they are plain
// text.
void append_redacted_json(std::string& out, std::string_view body, std::string_view known_end = {});

}  // namespace consentry
