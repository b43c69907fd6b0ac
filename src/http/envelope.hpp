// The success and error envelopes of the service and their metadata.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/locales.hpp"
#include "http/operation.hpp"

namespace consentry::http {

// The facts that every answer states about itself, in metadata and in headers.
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

// Each function appends to `out`. Returns the number of bytes at its end that hold the metadata and the closing braces,
// provided that the metadata consists of these facts alone.
std::size_t write_success(std::string& out, unsigned status, std::string_view message, const Reply& reply,
                          const AnswerFacts& facts);
std::size_t write_error(std::string& out, const Error& error, const Locales& locales, const AnswerFacts& facts);
// The error as a problem document (RFC 9457): adds type, title, status, detail and instance to the envelope's members.
std::size_t write_problem(std::string& out, const Error& error, std::string_view title, const Locales& locales,
                          const AnswerFacts& facts);

// Returns the line of a refusal that tells when to retry, `retryAfterSeconds` of its data as a header; of any other
// refusal, nothing.
std::string retry_after_line(const Error& error);

// Returns `text` without the characters that a header value cannot hold (control characters, non-ASCII).
std::string header_safe(std::string_view text);

}  // namespace consentry::http
