#include "http/steps/content_coding.hpp"

#include <algorithm>

#include "base/gzip.hpp"
#include "base/text.hpp"
#include "http/steps/accept.hpp"

namespace consentry::http {

bool accepts_gzip(const Request& request) {
    bool any = false;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "accept-encoding")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto [coding, weight] = take_weighted(rest);
            if (equal_ignoring_case(coding, "gzip")) return weight > 0;
            if (coding == "*") any = weight > 0;
        }
    }
    return any;
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto opaque = [](std::string_view text) { return text.starts_with("W/") ? text.substr(2) : text; };
    if (trim(if_none_match) == "*") return true;
    while (!if_none_match.empty()) {
        const std::string_view item = take_part(if_none_match, ',');
        if (opaque(trim(item)) == opaque(tag)) return true;
    }
    return false;
}

void compress(const Request& request, Response& response) {
    if (!accepts_gzip(request)) return;
    std::string packed = gzip(response.body, Effort::least);
    if (packed.size() >= response.body.size()) return;
    response.body = std::move(packed);
    response.add_header("Content-Encoding", "gzip");
}

}  // namespace consentry::http
