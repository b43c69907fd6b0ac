// An answer as bytes (RFC 9112 section 4).
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

// The whole line "Date: Fri, 20 Nov 2026 11:20:10 GMT\r\n", made once per second. One per thread.
class DateLine {
public:
    std::string_view now();
    std::string_view at(std::time_t second);

private:
    std::time_t second_ = -1;
    std::string line_;
};

// How the connection goes on after the answer; `silent` says nothing, for it is the version's default.
enum class ConnectionLine { silent, close, keep_alive };

// How the end of the body is told: by Content-Length, by its last chunk, or by the end of the connection, which is all
// that HTTP/1.0 knows where the length is not (RFC 9112 section 6.3).
enum class BodyEnd { length, chunk, connection };

// Appends status line, Content-Length or Transfer-Encoding, Date, Connection, the response's own lines, and the body
// unless `head` (the answer to HEAD tells the length of what GET would bring), the status forbids one, or it does not
// end by its length: then append_piece() brings it.
void append_response(std::string& out, const Response& response, bool head, BodyEnd end, ConnectionLine connection,
                     std::string_view date_line);

// A piece of a body that ends otherwise than by its length; an empty one is nothing.
void append_piece(std::string& out, std::string_view piece, BodyEnd end);
void append_last_chunk(std::string& out);

}  // namespace consentry::http
