// Entity tags (RFC 9110 section 8.8.3), from a digest of the body in any encoding without quotes.
#pragma once

#include <string>
#include <string_view>

namespace consentry::http {

// Names the bytes: for a body that is not compressed on its way.
inline std::string strong_etag(std::string_view digest) { return '"' + std::string(digest) + '"'; }

// Names what the bytes mean: for a body that may be sent compressed.
inline std::string weak_etag(std::string_view digest) { return "W/" + strong_etag(digest); }

}  // namespace consentry::http
