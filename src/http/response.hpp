// An answer before it is written. The connection adds Content-Length, Connection and Date; all else is here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace consentry::http {

struct Response {
    unsigned status = 200;
    std::string headers;  // complete lines: "x-version: 1\r\n..."; values already checked (no CR, LF, NUL)
    std::string body;     // empty for 204 and 304
    bool close = false;   // end the connection after this answer

    void add_header(std::string_view name, std::string_view value) {
        headers.append(name).append(": ").append(value).append("\r\n");
    }
    void clear() {
        status = 200;
        headers.clear();
        body.clear();
        close = false;
    }
};

// The standard reason phrase (RFC 9110 section 15), "Unknown" for a number without one.
std::string_view reason_phrase(unsigned status);

}  // namespace consentry::http
