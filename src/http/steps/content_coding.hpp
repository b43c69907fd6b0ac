// Compresses a body if that pays off, and detects that the client already has it.
#pragma once

#include <string_view>

#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

inline constexpr std::size_t compressed_from_bytes = 1'024;

// Whether Accept-Encoding allows gzip (RFC 9110 section 12.5.3).
bool accepts_gzip(const Request& request);
// Whether If-None-Match contains the tag, by weak comparison (RFC 9110 section 13.1.2).
bool names_tag(std::string_view if_none_match, std::string_view tag);

// Compresses the body in place if the client accepts that, and says so. Call only for answers without secrets of the
// caller, because the compressed length reveals something of the content (BREACH).
void compress(const Request& request, Response& response);

}  // namespace consentry::http
