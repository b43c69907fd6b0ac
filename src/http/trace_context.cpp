#include "http/trace_context.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace consentry::http {
namespace {

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}
bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

std::optional<TraceContext> TraceContext::parse(std::string_view header) {
    // version "-" trace-id "-" parent-id "-" flags. Later versions may append fields.
    if (header.size() < 55 || header[2] != '-' || header[35] != '-' || header[52] != '-') return std::nullopt;
    const std::string_view version = header.substr(0, 2);
    const std::string_view trace = header.substr(3, 32);
    const std::string_view parent = header.substr(36, 16);
    const std::string_view flags = header.substr(53, 2);
    if (!is_hex(version) || version == "ff" || !is_hex(trace) || !is_hex(parent) || !is_hex(flags)) return std::nullopt;
    if (is_zero(trace) || is_zero(parent)) return std::nullopt;
    if (header.size() > 55 && (version == "00" || header[55] != '-')) return std::nullopt;
    return TraceContext{std::string(trace), std::string(parent), std::string(flags)};
}

std::string TraceContext::traceparent(std::string_view span_id) const {
    std::string out = "00-";
    out.append(trace_id).append("-").append(span_id).append("-").append(flags);
    return out;
}

}  // namespace consentry::http
