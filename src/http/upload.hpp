// A file that a request brings: alone as text/csv, or as the field "file" of a form (RFC 7578).
//
// The form is read strictly: no preamble and no epilogue, no parts within parts, no transfer encodings, and nothing
// that two readers might take apart differently. What browsers, curl and the libraries of most languages send passes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/borrowed_text.hpp"
#include "base/error.hpp"
#include "http/request.hpp"

namespace consentry::http {

// 10 MB, for operations that take an Upload; for all others the usual bounds of a body hold.
inline constexpr std::size_t upload_bytes_max = 10'485'760;

struct Upload {
    std::string filename;      // as the client calls it, or empty: to show, never to open
    std::string content_type;  // without parameters
    BorrowedText body;         // within the request: not to be kept beyond the answer
};

// 1 MB, for operations that take a FileBody.
inline constexpr std::size_t file_body_bytes_max = 1'048'576;

// A body as it came, whatever it is: for the one who knows what it must be.
struct FileBody {
    std::string content_type;  // without parameters, in small letters; empty: none was sent
    BorrowedText bytes;        // within the request: not to be kept beyond the answer
};

// Error: 415 a content coding.
Result<FileBody> read_file_body(const Request& request);
Result<FileBody> read_file_body(const Request&& request) = delete;

// Errors: 415 another media type or ending than those of CSV, 422 no file, or more than the one; 400 no form.
Result<Upload> read_upload(const Request& request);
Result<Upload> read_upload(const Request&& request) = delete;

}  // namespace consentry::http
