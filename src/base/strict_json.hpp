// JSON from outside, read strictly (RFC 8259, INP-1, INP-2): duplicate names, comments, a byte order mark, trailing
// data, invalid UTF-8, lone surrogates and numbers beyond a double are refused; depth and members are bounded.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace consentry {

struct JsonLimits {
    std::size_t depth_max = 32;
    std::size_t members_max = 1'000;  // of all objects and arrays together
};

struct JsonFault {
    enum class Kind { malformed, duplicate_name, too_deep, too_many_members };
    Kind kind = Kind::malformed;
    std::size_t offset = 0;  // in bytes, of where reading ended
};

// Never throws for the text's fault.
std::expected<boost::json::value, JsonFault> read_strict_json(std::string_view text, const JsonLimits& limits = {},
                                                              boost::json::storage_ptr storage = {});
// The same for whoever need not know why: nullopt.
std::optional<boost::json::value> parse_strict_json(std::string_view text, const JsonLimits& limits = {},
                                                    boost::json::storage_ptr storage = {});

// Appends `text` as a JSON string, quotes included. `text` is UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace consentry
