// An answer before it is written. The connection adds Content-Length, Connection and Date; all else is here.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

namespace consentry::http {

// Makes the next piece of a body; nullopt ends it. Owns what it needs: it is called when the handler has long returned,
// and destroyed with its answer, whole or not.
using NextPiece = std::function<boost::asio::awaitable<std::optional<std::string>>()>;

enum class StreamEnd { whole, client_gone, failed };

// What follows `Response::body` piece by piece, each made once the one before it has been taken by the client.
struct BodyStream {
    NextPiece next;  // what it throws breaks the connection
    // Called once, unless the server ends in the middle: what was written, and what was thrown.
    std::function<void(StreamEnd end, std::size_t bytes, std::string_view failure)> ended = {};
};

struct Response {
    unsigned status = 200;
    std::string headers;  // complete lines: "x-version: 1\r\n..."; values already checked (no CR, LF, NUL)
    std::string body;     // empty for 204 and 304
    bool close = false;   // end the connection after this answer
    std::optional<BodyStream> stream = {};
    std::size_t streamed_bytes = 0;  // by a stream that has ended
    // The end of the body, if it is an envelope's: its metadata and what closes them, where they are the service's own.
    std::size_t metadata_bytes = 0;

    std::size_t body_bytes() const { return body.size() + streamed_bytes; }
    void add_header(std::string_view name, std::string_view value) {
        headers.append(name).append(": ").append(value).append("\r\n");
    }
    void clear() {
        status = 200;
        headers.clear();
        body.clear();
        close = false;
        stream.reset();
        streamed_bytes = 0;
        metadata_bytes = 0;
    }
};

// The standard reason phrase (RFC 9110 section 15), "Unknown" for a number without one.
std::string_view reason_phrase(unsigned status);

}  // namespace consentry::http
