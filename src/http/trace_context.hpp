// W3C Trace Context, level 1: the traceparent header.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry::http {

struct TraceContext {
    std::string trace_id;   // 32 lowercase hex digits, not all zero
    std::string parent_id;  // 16 lowercase hex digits: the caller's span
    std::string flags;      // 2 lowercase hex digits

    // Returns nullopt for a value that violates section 3.2; the caller then treats the header as absent.
    static std::optional<TraceContext> parse(std::string_view header);
    // Returns the header for an outgoing call: the same trace, with `span_id` (16 lowercase hex digits, not all zero)
    // as the parent.
    std::string traceparent(std::string_view span_id) const;
};

}  // namespace consentry::http
