// Strict parser for untrusted JSON (RFC 8259, INP-1, INP-2). Rejects duplicate names, comments, a byte order mark,
// trailing data, invalid UTF-8, lone surrogates and numbers beyond the range of a double; bounds the depth and the
// number of members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace consentry {

struct JsonLimits {
    std::size_t depth_max = 32;
    std::size_t members_max = 1'000;  // total over all objects and arrays
};

struct JsonFault {
    enum class Kind { malformed, duplicate_name, too_deep, too_many_members };
    Kind kind = Kind::malformed;
    std::size_t offset = 0;  // in bytes: where parsing stopped
};

// Never throws because of the text's content.
std::expected<boost::json::value, JsonFault> read_strict_json(std::string_view text, const JsonLimits& limits = {},
                                                              boost::json::storage_ptr storage = {});
// The same for callers that do not need the reason; returns nullopt on failure.
std::optional<boost::json::value> parse_strict_json(std::string_view text, const JsonLimits& limits = {},
                                                    boost::json::storage_ptr storage = {});

// Appends `text` as a JSON string, including quotes. `text` must be valid UTF-8.
void append_json_string(std::string& out, std::string_view text);
// Appends the escape of a UTF-16 code unit: \u001b.
void append_json_escape(std::string& out, std::uint32_t unit);

}  // namespace consentry
