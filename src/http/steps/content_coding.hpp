// How a body travels: compressed where that is worth it, or not at all where the client has it already.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

inline constexpr std::size_t compressed_from_bytes = 1'024;

// Whether Accept-Encoding takes gzip (RFC 9110 section 12.5.3).
bool accepts_gzip(const Request& request);
// Whether If-None-Match names the tag, by weak comparison (RFC 9110 section 13.1.2).
bool names_tag(std::string_view if_none_match, std::string_view tag);

std::string gzip(std::string_view text);
// Nothing where it is no gzip, or more than `bytes_max` come out of it.
std::string gunzip(std::string_view packed, std::size_t bytes_max);

// Compresses the body in place and says so in the headers. Call only for what holds no secret of the caller's: the
// length of a compressed answer tells about its content (BREACH).
void compress(const Request& request, Response& response);

}  // namespace consentry::http
