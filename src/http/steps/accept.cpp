#include "http/steps/accept.hpp"

#include <optional>

#include "base/text.hpp"
#include "http/characters.hpp"

namespace consentry::http {
namespace {

// Parses a weight into thousandths: "1", "0.5", "0.125" (RFC 9110 section 12.4.2). Returns nullopt if it is malformed.
std::optional<int> parse_weight(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    int out = (text[0] - '0') * 1'000;
    if (text.size() == 1) return out;
    if (text[1] != '.') return std::nullopt;
    int place = 100;
    for (const char digit : text.substr(2)) {
        if (!is_digit(digit)) return std::nullopt;
        out += (digit - '0') * place;
        place /= 10;
    }
    return out <= 1'000 ? std::optional(out) : std::nullopt;
}

int weight_of(std::string_view parameters) {
    while (!parameters.empty()) {
        const std::string_view one = trim(take_part(parameters, ';'));
        if (one.size() >= 2 && (one[0] == 'q' || one[0] == 'Q') && one[1] == '=')
            return parse_weight(one.substr(2)).value_or(0);
    }
    return 1'000;
}

// Whether Accept names the type itself.
bool names_type(const Request& request, std::string_view type) {
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "accept")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const Weighted one = take_weighted(rest);
            if (one.weight > 0 && equal_ignoring_case(one.name, type)) return true;
        }
    }
    return false;
}

}  // namespace

Weighted take_weighted(std::string_view& value) {
    std::string_view item = take_part(value, ',');
    const std::string_view name = trim(take_part(item, ';'));
    return {.name = name, .weight = weight_of(item)};
}

bool prefers_problem(const Request& request) {
    int problem = 0;
    // The most specific range that matches application/json determines its weight.
    int json = 0;
    int narrowness = 0;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "accept")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto [range, weight] = take_weighted(rest);
            if (equal_ignoring_case(range, "application/problem+json")) {
                problem = weight;
                continue;
            }
            int narrow = 0;
            if (range == "*/*") narrow = 1;
            if (equal_ignoring_case(range, "application/*")) narrow = 2;
            if (equal_ignoring_case(range, "application/json")) narrow = 3;
            if (narrow <= narrowness) continue;
            narrowness = narrow;
            json = weight;
        }
    }
    return problem > 0 && problem >= json;
}

bool names_html(const Request& request) { return names_type(request, "text/html"); }

bool asks_for_json(const Request& request) { return names_type(request, "application/json") && !names_html(request); }

}  // namespace consentry::http
