#include "base/strict_json.hpp"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include "base/ascii.hpp"
#include "base/plain_text.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

// Builds the value as Boost's own handler does, and counts members. An object with a duplicate name ends up with fewer
// members than were read, so comparing the two totals detects every duplicate.
struct Builder {
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    json::value_stack stack;
    std::size_t members_max = 0;
    std::size_t members = 0;         // of objects and arrays, as read: for the limit
    std::size_t object_members = 0;  // of objects, as read

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) { return true; }
    bool on_object_end(std::size_t n, json::error_code& error) {
        object_members += n;
        stack.push_object(n);
        return counted(error);
    }
    bool on_array_begin(json::error_code&) { return true; }
    bool on_array_end(std::size_t n, json::error_code& error) {
        stack.push_array(n);
        return counted(error);
    }
    bool on_key_part(json::string_view text, std::size_t, json::error_code&) {
        stack.push_chars(text);
        return true;
    }
    bool on_key(json::string_view text, std::size_t, json::error_code&) {
        stack.push_key(text);
        return true;
    }
    bool on_string_part(json::string_view text, std::size_t, json::error_code&) {
        stack.push_chars(text);
        return true;
    }
    bool on_string(json::string_view text, std::size_t, json::error_code& error) {
        stack.push_string(text);
        return counted(error);
    }
    bool on_number_part(json::string_view, json::error_code&) { return true; }
    bool on_int64(std::int64_t value, json::string_view, json::error_code& error) {
        stack.push_int64(value);
        return counted(error);
    }
    bool on_uint64(std::uint64_t value, json::string_view, json::error_code& error) {
        stack.push_uint64(value);
        return counted(error);
    }
    bool on_double(double value, json::string_view, json::error_code& error) {
        if (!std::isfinite(value)) {
            error = json::error::exponent_overflow;
            return false;
        }
        stack.push_double(value);
        return counted(error);
    }
    bool on_bool(bool value, json::error_code& error) {
        stack.push_bool(value);
        return counted(error);
    }
    bool on_null(json::error_code& error) {
        stack.push_null();
        return counted(error);
    }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

    bool counted(json::error_code& error) {
        if (++members <= members_max) return true;
        error = json::error::object_too_large;
        return false;
    }
};

std::size_t count_object_members(const json::value& value) {
    std::size_t count = 0;
    if (const auto* object = value.if_object()) {
        count += object->size();
        for (const auto& member : *object) count += count_object_members(member.value());
    } else if (const auto* array = value.if_array()) {
        for (const auto& element : *array) count += count_object_members(element);
    }
    return count;  // the recursion is bounded by depth_max
}

// Finds the position of a duplicate name. Used only for a text known to contain one, because it stores every name.
struct NameFinder {
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    std::vector<std::set<std::string, std::less<>>> open;
    std::string name;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) {
        open.emplace_back();
        return true;
    }
    bool on_object_end(std::size_t, json::error_code&) {
        open.pop_back();
        return true;
    }
    bool on_array_begin(json::error_code&) { return true; }
    bool on_array_end(std::size_t, json::error_code&) { return true; }
    bool on_key_part(json::string_view text, std::size_t, json::error_code&) {
        name.append(text);
        return true;
    }
    bool on_key(json::string_view text, std::size_t, json::error_code& error) {
        name.append(text);
        if (open.back().insert(std::exchange(name, {})).second) return true;
        error = json::error::object_too_large;
        return false;
    }
    bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
    bool on_string(json::string_view, std::size_t, json::error_code&) { return true; }
    bool on_number_part(json::string_view, json::error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, json::error_code&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return true; }
    bool on_double(double, json::string_view, json::error_code&) { return true; }
    bool on_bool(bool, json::error_code&) { return true; }
    bool on_null(json::error_code&) { return true; }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }
};

json::parse_options options_of(const JsonLimits& limits) {
    json::parse_options out;
    out.max_depth = limits.depth_max;
    return out;
}

std::size_t find_second_name(std::string_view text, const JsonLimits& limits) {
    json::basic_parser<NameFinder> parser(options_of(limits));
    json::error_code error;
    return parser.write_some(false, text.data(), text.size(), error);
}

JsonFault::Kind kind_of(const json::error_code& error) {
    if (error == json::error::too_deep) return JsonFault::Kind::too_deep;
    if (error == json::error::object_too_large) return JsonFault::Kind::too_many_members;
    return JsonFault::Kind::malformed;
}

}  // namespace

std::expected<json::value, JsonFault> read_strict_json(std::string_view text, const JsonLimits& limits,
                                                       json::storage_ptr storage) {
    json::basic_parser<Builder> parser(options_of(limits));
    parser.handler().members_max = limits.members_max;
    parser.handler().stack.reset(std::move(storage));
    json::error_code error;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
    if (error || read != text.size()) return std::unexpected(JsonFault{kind_of(error), read});
    json::value out = parser.handler().stack.release();
    if (count_object_members(out) != parser.handler().object_members)
        return std::unexpected(JsonFault{JsonFault::Kind::duplicate_name, find_second_name(text, limits)});
    return out;
}

std::optional<json::value> parse_strict_json(std::string_view text, const JsonLimits& limits,
                                             json::storage_ptr storage) {
    auto read = read_strict_json(text, limits, std::move(storage));
    if (!read) return std::nullopt;
    return std::move(*read);
}

void append_json_string(std::string& out, std::string_view text) {
    out.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = plain_beginning(text); i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        out.append(text.substr(plain, i - plain));
        plain = i + 1;
        switch (c) {
            case '"':
                out.append("\\\"");
                break;
            case '\\':
                out.append("\\\\");
                break;
            case '\n':
                out.append("\\n");
                break;
            case '\r':
                out.append("\\r");
                break;
            case '\t':
                out.append("\\t");
                break;
            default:
                append_json_escape(out, c);
        }
    }
    out.append(text.substr(plain));
    out.push_back('"');
}

void append_json_escape(std::string& out, std::uint32_t unit) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) out.push_back(hex_digits[unit >> shift & 15]);
}

}  // namespace consentry
