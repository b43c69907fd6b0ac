// JSON from outside (INP-1): accepted values keep the limits, and are equal after serializing and parsing again.
#include "base/strict_json.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json/serialize.hpp>

#include "base/text.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

namespace json = boost::json;

std::size_t depth_of(const json::value& value) {
    std::size_t below = 0;
    if (const auto* object = value.if_object()) {
        for (const auto& member : *object) below = std::max(below, depth_of(member.value()));
        return below + 1;
    }
    if (const auto* array = value.if_array()) {
        for (const json::value& element : *array) below = std::max(below, depth_of(element));
        return below + 1;
    }
    return 0;
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

// Compares exactly, except for the last digits of fractions: Boost 1.81 parses long fractions with an error of a few
// units in the last place.
bool is_same(const json::value& a, const json::value& b) {
    if (a.is_double() || b.is_double())
        return a.is_number() && b.is_number() && is_near(a.to_number<double>(), b.to_number<double>());
    if (a.kind() != b.kind()) return false;
    if (a.is_object())
        return std::ranges::equal(a.get_object(), b.get_object(), [](const auto& one, const auto& other) {
            return one.key() == other.key() && is_same(one.value(), other.value());
        });
    if (a.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), is_same);
    return a == b;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    const JsonLimits limits{.depth_max = 8, .members_max = 50};
    if (const auto value = parse_strict_json(text, limits)) {
        fuzz::require(code_points(text).has_value(), "what is accepted is UTF-8");
        fuzz::require(depth_of(*value) <= limits.depth_max, "the depth keeps its limit");
        const auto again = parse_strict_json(json::serialize(*value), limits);
        fuzz::require(again && is_same(*again, *value), "written and read again it is the same");
    }
    if (code_points(text)) {
        std::string written;
        append_json_string(written, text);
        const auto read = parse_strict_json(written);
        fuzz::require(read && read->is_string() && read->get_string() == text, "a string comes back the same");
    }
    return 0;
}
