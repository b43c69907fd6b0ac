// W3C Trace Context, level 1: the traceparent header.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry::http {

struct TraceContext {
    std::string trace_id;   // 32 lower-case hex digits, not all zero
    std::string parent_id;  // 16 of them: the caller's span
    std::string flags;      // 2 of them

    // nullopt: not in the form of section 3.2, so it is as if it were absent.
    static std::optional<TraceContext> parse(std::string_view header);
    // For a call outward: the same trace, with `span_id` (16 lower-case hex digits, not all zero) as the parent.
    std::string traceparent(std::string_view span_id) const;
};

}  // namespace consentry::http
