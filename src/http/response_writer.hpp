// Serializes an answer (RFC 9112 section 4).
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

// The line "Date: Fri, 20 Nov 2026 11:20:10 GMT" with its CRLF, rebuilt at most once per second. Each thread has its
// own.
class DateLine {
public:
    std::string_view now();
    std::string_view at(std::time_t second);

private:
    std::time_t second_ = -1;
    std::string line_;
};

// The Connection header of the answer. `silent` omits it, because the behavior is the default of the HTTP version.
enum class ConnectionLine { silent, close, keep_alive };

// How the end of the body is marked: by the Content-Length of `Response::body`, by the one that the headers of a stream
// state, by the last chunk, or by closing the connection, which is the only way in HTTP/1.0 if the length is unknown
// (RFC 9112 section 6.3).
enum class BodyEnd { length, stated_length, chunk, connection };

// Appends the status line, Content-Length or Transfer-Encoding, Date, Connection, the response's own headers, and the
// body. Omits the body for HEAD (`head`; Content-Length is that of the GET), and for a status that forbids one. For
// ends other than `length`, append_piece() writes the body.
void append_response(std::string& out, const Response& response, bool head, BodyEnd end, ConnectionLine connection,
                     std::string_view date_line);

// Appends a piece of a body whose end is not marked by its length. An empty piece appends nothing.
void append_piece(std::string& out, std::string_view piece, BodyEnd end);
void append_last_chunk(std::string& out);

}  // namespace consentry::http
