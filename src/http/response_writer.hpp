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

// Appends status line, Content-Length, Date, Connection, the response's own lines, and the body unless `head`
// (the answer to HEAD tells the length of what GET would bring) or the status forbids one.
void append_response(std::string& out, const Response& response, bool head, ConnectionLine connection,
                     std::string_view date_line);

}  // namespace consentry::http
