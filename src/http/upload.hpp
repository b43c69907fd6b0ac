// Reads a file from a request: either a body of type text/csv, or the field "file" of a form (RFC 7578).
//
// Forms are parsed strictly: no preamble or epilogue, no nested parts, no transfer encodings, and nothing that two
// parsers might split differently. The forms that browsers, curl and common HTTP libraries send are accepted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/borrowed_text.hpp"
#include "base/error.hpp"
#include "http/request.hpp"

namespace consentry::http {

// 10 MB, for operations that take an Upload. The usual body limits apply to all others.
inline constexpr std::size_t upload_bytes_max = 10'485'760;

struct Upload {
    std::string filename;      // as sent by the client, possibly empty; for display only, never to be opened
    std::string content_type;  // without parameters
    BorrowedText body;         // a view into the request, valid until the answer
};

// 1 MB, for operations that take a FileBody.
inline constexpr std::size_t file_body_bytes_max = 1'048'576;

// The raw body, of any media type; the operation validates it.
struct FileBody {
    std::string content_type;  // lower case, without parameters; empty: none was sent
    BorrowedText bytes;        // a view into the request, valid until the answer
};

// Error: 415 for a content coding.
Result<FileBody> read_file_body(const Request& request);
Result<FileBody> read_file_body(const Request&& request) = delete;

// Errors: 415 for a media type or file extension other than CSV, 422 for no file or more than one, 400 for a malformed
// form.
Result<Upload> read_upload(const Request& request);
Result<Upload> read_upload(const Request&& request) = delete;

}  // namespace consentry::http
