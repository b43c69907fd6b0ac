// JSON from outside, read strictly (RFC 8259, INP-1, INP-2): duplicate names, comments, a byte order mark, trailing
// data, invalid UTF-8, lone surrogates and numbers beyond a double are refused; depth and members are bounded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace consentry {

struct JsonLimits {
    std::size_t depth_max = 32;
    std::size_t members_max = 1'000;  // of all objects and arrays together
};

// nullopt: not JSON in the sense above. Never throws for the text's fault.
std::optional<boost::json::value> parse_strict_json(std::string_view text, const JsonLimits& limits = {},
                                                    boost::json::storage_ptr storage = {});

// Appends `text` as a JSON string, quotes included. `text` is UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace consentry
