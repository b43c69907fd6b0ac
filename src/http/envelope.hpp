// The two envelopes of the service and their metadata.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/locales.hpp"
#include "http/operation.hpp"

namespace consentry::http {

// What every answer tells about itself, in metadata and in headers.
struct AnswerFacts {
    Language language = Language::en;
    TimePoint now;
    std::string_view timezone;
    std::string_view path;
    std::string_view version;
    std::string_view repo_version;
    std::string_view request_id;
    std::string_view correlation_id;
};

// Each appends to `out`, and returns how much of its end are metadata that hold nothing but these facts, and what
// closes them.
std::size_t write_success(std::string& out, unsigned status, std::string_view message, const Reply& reply,
                          const AnswerFacts& facts);
std::size_t write_error(std::string& out, const Error& error, const Locales& locales, const AnswerFacts& facts);
// The same facts as a problem (RFC 9457): type, title, status, detail and instance beside the envelope's members.
std::size_t write_problem(std::string& out, const Error& error, std::string_view title, const Locales& locales,
                          const AnswerFacts& facts);

// Text of a header value: what cannot stand in one (control characters, non-ASCII) is left out.
std::string header_safe(std::string_view text);

}  // namespace consentry::http
